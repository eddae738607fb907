#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/rank_null.h"

namespace bench::analysis {

/// A closed interval whose ends are values that were seen.
struct Interval {
    double low = 0;
    double high = 0;
    std::size_t rank = 0;  ///< low is the rank-th smallest value, high the rank-th largest
    double level = 0;      ///< what it covers exactly, e.g. 0.951 where 0.95 was asked
};

/// All that the data say about a shift, sorted, with the null that counts them: the Walsh averages
/// (d_i + d_j)/2, i <= j, of paired differences, or all differences b_j - a_i of two samples.
/// Estimate and interval after Hodges and Lehmann (1963), so that they agree with the tests.
class Shifts {
  public:
    /// 1 to kMostReplications differences, finite.
    [[nodiscard]] static Shifts of_pairs(std::span<const double> differences);
    /// As many a side.
    [[nodiscard]] static Shifts of_samples(std::span<const double> a, std::span<const double> b);

    /// The Hodges-Lehmann estimate: the median of all.
    [[nodiscard]] double estimate() const;
    /// Ends within [w_(k), w_(M+1-k)] with at most `alpha` beyond each; absent: too few values.
    [[nodiscard]] std::optional<Interval> interval(double alpha) const;

    /// How many are strictly beyond: a tie with `limit` counts for neither side.
    [[nodiscard]] std::size_t count_above(double limit) const;
    [[nodiscard]] std::size_t count_below(double limit) const;
    /// P that so many or more are above (below), if the true shift were `limit`.
    [[nodiscard]] double p_above(double limit) const;
    [[nodiscard]] double p_below(double limit) const;

    [[nodiscard]] bool all_zero() const;
    [[nodiscard]] const std::vector<double>& sorted() const { return sorted_; }
    [[nodiscard]] const RankNull& null() const { return null_; }

  private:
    Shifts(std::vector<double> values, RankNull null);

    std::vector<double> sorted_;
    RankNull null_;
};

}  // namespace bench::analysis
