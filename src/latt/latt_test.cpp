#include <gtest/gtest.h>
TEST(Latt, Builds) {}
