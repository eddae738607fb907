#include "common/fairness.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

// The arithmetic itself is held by the golden numbers; here is what may be asked at all.

TEST(Fairness, EqualSharesOfEqualUsersAreOne) {
    const std::vector<FairGroup> users = {{.share = 0.5, .entitlement = 0.5},
                                          {.share = 0.5, .entitlement = 0.5}};
    const auto result = fairness(users, 1.0);
    ASSERT_TRUE(result);
    EXPECT_DOUBLE_EQ(result->jain_between, 1);
    EXPECT_DOUBLE_EQ(result->misallocated, 0);
    ASSERT_TRUE(result->number);
    EXPECT_DOUBLE_EQ(*result->number, 1);
}

TEST(Fairness, TheNumberIsTheProductOfItsParts) {
    const std::vector<FairGroup> users = {{.share = 0.2, .entitlement = 0.5, .cv = 0.3},
                                          {.share = 0.8, .entitlement = 0.5, .cv = 0.1}};
    const auto result = fairness(users, 0.9);
    ASSERT_TRUE(result);
    EXPECT_NEAR(*result->number, result->jain_between * result->within * 0.9, 1e-12);
    EXPECT_LT(result->within, 1);
}

TEST(Fairness, WithoutAReferenceThereIsNoNumber) {
    const std::vector<FairGroup> users = {{.share = 1, .entitlement = 1}};
    const auto result = fairness(users, std::nullopt);
    ASSERT_TRUE(result);
    EXPECT_FALSE(result->efficiency);
    EXPECT_FALSE(result->number);
}

TEST(Fairness, RefusesWhatHasNoMeaning) {
    EXPECT_FALSE(fairness({}, 1.0));
    const std::vector<FairGroup> users = {{.share = 1, .entitlement = 0}};
    EXPECT_FALSE(fairness(users, 1.0));
    EXPECT_FALSE(two_users_by_finish(100, 40, std::nullopt)) << "more than twice as late";
}

}  // namespace
}  // namespace bench
