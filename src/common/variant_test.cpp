#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/bundle.h"

namespace bench {
namespace {

using ::testing::IsEmpty;
using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(Variant, KeysAreSorted) {
    EXPECT_EQ(format_variant({{"policy", "fifo:50"}, {"cpus", "0,2-3"}, {"load", "none"}}),
              "cpus=0,2-3;load=none;policy=fifo:50");
    EXPECT_EQ(format_variant({}), "");
}

TEST(Variant, SeparatorsWithinAreEscaped) {
    EXPECT_EQ(format_variant({{"load", "a; b 5%"}}), "load=a%3B b 5%25");
}

TEST(Variant, EveryPairSurvives) {
    const Pairs pairs = {{"a", "x=y;z"}, {"b", "%3B"},   {"c", ""},        {"d;=%", "100%;"},
                         {"e", "=1+1"},  {"f", "\n\"'"}, {"g", "a%25%3D%"}};
    EXPECT_EQ(parse_variant(format_variant(pairs)), pairs);
}

TEST(Variant, DifferentListsNeverReadAlike) {
    EXPECT_NE(format_variant({{"a", "1;b=2"}}), format_variant({{"a", "1"}, {"b", "2"}}));
    EXPECT_NE(format_variant({{"a", "%3B"}}), format_variant({{"a", ";"}}));
}

TEST(Variant, EmptyTextIsNoPair) {
    EXPECT_THAT(parse_variant(""), IsEmpty());
}

}  // namespace
}  // namespace bench
