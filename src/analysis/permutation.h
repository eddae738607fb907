#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/shifts.h"

namespace bench::analysis {

/// Exact up to so many assignments of labels; beyond, so many are drawn.
inline constexpr std::uint64_t kMostAssignments = 200'000;
inline constexpr std::uint64_t kDrawnAssignments = 20'000;

/// Runs that lie beside each other; both sides hold at least one value.
struct Block {
    std::vector<double> a, b;
};

struct PermutationTest {
    double statistic = 0;  ///< sum over blocks of mean(b) - mean(a)
    double p_less = 1;
    double p_greater = 1;
    double p_two_sided = 1;  ///< share of assignments at least as far from 0
    std::uint64_t assignments = 0;
    bool exact = true;  ///< false: drawn, p = (hits + 1) / (draws + 1)
};

/// Fisher's permutation test of means, labels exchanged within each block: blocks of 1+1 are sign
/// flips, one block is the two-sample test. `seed` matters for drawn assignments only.
[[nodiscard]] PermutationTest permute_means(std::span<const Block> blocks, std::uint64_t seed);

/// The interval that goes with it for pairs: ends among the means of all non-empty subsets
/// (Hartigan 1969), `alpha` beyond each. Beyond kMostAssignments subsets some are drawn. Absent:
/// too few differences.
[[nodiscard]] std::optional<Interval> subset_mean_interval(std::span<const double> differences,
                                                           double alpha, std::uint64_t seed);

/// Step-down maximum of |t| (Westfall and Young 1993): the signs of a pair are flipped in all cells
/// at once, so that cells may depend on each other.
struct MaxT {
    std::vector<double> abs_t, p_raw, p_single_step, p_step_down;  ///< by cell
    std::uint64_t flips = 0;
};
/// `cells` hold the same number (>= 2) of paired differences each.
[[nodiscard]] MaxT max_t(std::span<const std::vector<double>> cells, std::uint64_t seed);

}  // namespace bench::analysis
