#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace bench::analysis {

/// A rank test that gives ties their mean rank. For explanations alone: verdicts count ties against
/// significance (shifts.h).
struct RankTest {
    double statistic = 0;  ///< W+ without zeros, or U of b
    double p_less = 1;
    double p_greater = 1;
    double p_two_sided = 1;  ///< min(1, twice the smaller)
};

/// Up to so many values a side midranks are counted exactly.
inline constexpr std::size_t kMostMidranks = 50;

/// Exact over all signs of the midranks of |d|, zeros dropped; absent beyond kMostMidranks.
[[nodiscard]] std::optional<RankTest> signed_rank_midranks(std::span<const double> differences);

/// Exact over all ways to label the midranks; absent for an empty side and beyond kMostMidranks.
[[nodiscard]] std::optional<RankTest> mann_whitney_midranks(std::span<const double> a,
                                                            std::span<const double> b);

/// Two-sided p by the normal approximation, with tie and continuity correction; absent for an empty
/// side and when all values are equal.
[[nodiscard]] std::optional<double> mann_whitney_asymptotic(std::span<const double> a,
                                                            std::span<const double> b);

}  // namespace bench::analysis
