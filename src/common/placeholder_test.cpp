#include <gtest/gtest.h>
TEST(Common, Builds) {}
