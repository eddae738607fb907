#include "app/ab_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bench {
namespace {

using ::testing::ElementsAre;

TEST(AbSide, WordsSplitAsInAShell) {
    EXPECT_THAT(*split_words(" --policy  idle\t--load 'make -j4' \"a b\"c ''"),
                ElementsAre("--policy", "idle", "--load", "make -j4", "a bc", ""));
    EXPECT_TRUE(split_words("  ")->empty());
    EXPECT_FALSE(split_words("--load 'make").ok());
}

}  // namespace
}  // namespace bench
