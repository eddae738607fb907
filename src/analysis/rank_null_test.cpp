#include "analysis/rank_null.h"

#include <gtest/gtest.h>

#include <cmath>

namespace bench::analysis {
namespace {

// Enumerates all signs of the ranks 1..n.
double signed_rank_by_enumeration(std::size_t n, std::size_t c) {
    std::size_t hits = 0;
    for (std::size_t signs = 0; signs < (std::size_t{1} << n); ++signs) {
        std::size_t sum = 0;
        for (std::size_t rank = 1; rank <= n; ++rank) {
            sum += ((signs >> (rank - 1)) & 1U) != 0 ? rank : 0;
        }
        hits += sum >= c ? 1 : 0;
    }
    return static_cast<double>(hits) / std::pow(2.0, static_cast<double>(n));
}

TEST(RankNull, SignedRankCountsEverySetOfRanks) {
    for (const std::size_t n : {1U, 2U, 5U, 9U}) {
        const RankNull null = RankNull::signed_rank(n);
        ASSERT_EQ(null.max(), n * (n + 1) / 2);
        for (std::size_t c = 0; c <= null.max() + 1; ++c) {
            EXPECT_DOUBLE_EQ(null.upper_tail(c), signed_rank_by_enumeration(n, c)) << n << " " << c;
        }
    }
}

TEST(RankNull, BothTailsMirrorEachOther) {
    for (const RankNull& null : {RankNull::signed_rank(11), RankNull::mann_whitney(4, 9),
                                 RankNull::mann_whitney(40, 36)}) {
        for (std::size_t c = 1; c <= null.max(); ++c) {
            EXPECT_NEAR(null.upper_tail(c) + null.lower_tail(c - 1), 1, 1e-12) << c;
        }
    }
}

TEST(RankNull, SidesMayBeExchanged) {
    const RankNull one = RankNull::mann_whitney(3, 8);
    const RankNull other = RankNull::mann_whitney(8, 3);
    for (std::size_t c = 0; c <= one.max(); ++c) {
        EXPECT_DOUBLE_EQ(one.upper_tail(c), other.upper_tail(c));
    }
}

// Where counts end and probabilities begin, nothing may jump: the tails shrink smoothly.
TEST(RankNull, CountsAndProbabilitiesMeet) {
    for (const std::size_t n : {62U, 63U, 200U}) {
        const RankNull null = RankNull::signed_rank(n);
        const auto size = static_cast<double>(n);
        const double z_at_k =
            (size * (size + 1) / 4 - static_cast<double>(null.interval_rank(0.025))) /
            std::sqrt(size * (size + 1) * (2 * size + 1) / 24);
        EXPECT_NEAR(z_at_k, 1.96, 0.02) << n;
        EXPECT_DOUBLE_EQ(null.upper_tail(null.max()) * std::pow(2.0, size), 1) << n;
    }
    for (const std::size_t n : {33U, 34U, 200U}) {
        const RankNull null = RankNull::mann_whitney(n, n);
        const auto size = static_cast<double>(n);
        const double z_at_k = (size * size / 2 - static_cast<double>(null.interval_rank(0.025))) /
                              std::sqrt(size * size * (2 * size + 1) / 12);
        EXPECT_NEAR(z_at_k, 1.96, 0.02) << n;
        EXPECT_NEAR(null.upper_tail(1), 1, 1e-12) << n;
    }
    // C(66, 33) sets: the most that counts hold.
    EXPECT_NEAR(RankNull::mann_whitney(33, 33).upper_tail(33 * 33) * 7219428434016265740.0, 1,
                1e-9);
}

TEST(RankNull, TooFewValuesGiveNoInterval) {
    EXPECT_EQ(RankNull::signed_rank(5).interval_rank(0.025), 0U);
    EXPECT_EQ(RankNull::signed_rank(6).interval_rank(0.025), 1U);
    EXPECT_EQ(RankNull::mann_whitney(3, 3).interval_rank(0.025), 0U);
    // The smallest two-sided p of unequal sides.
    EXPECT_NEAR(2 * RankNull::mann_whitney(2, 5).upper_tail(10), 0.0952, 5e-5);
    EXPECT_NEAR(2 * RankNull::mann_whitney(2, 8).upper_tail(16), 0.0444, 5e-5);
    EXPECT_NEAR(2 * RankNull::mann_whitney(3, 5).upper_tail(15), 0.0357, 5e-5);
}

}  // namespace
}  // namespace bench::analysis
