namespace bench {}
