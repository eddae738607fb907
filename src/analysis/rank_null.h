#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace bench::analysis {

/// The most replications a side that the exact nulls below are made for: beyond, they would take
/// seconds and gigabytes, and more runs would say nothing new.
inline constexpr std::size_t kMostReplications = 200;

/// The exact distribution of a rank statistic when nothing changed and no two values tie.
/// Symmetric about half its maximum.
class RankNull {
  public:
    /// W+ of n pairs: the sum of those of the ranks 1..n whose pair is positive (Wilcoxon's
    /// signed-rank statistic), which is the number of positive Walsh averages (Tukey). Counted as
    /// the subsets of {1..n} with a given sum. 1 <= n <= kMostReplications.
    [[nodiscard]] static RankNull signed_rank(std::size_t n);

    /// U of m values against n: how many of the m*n differences are positive (Mann and Whitney).
    /// Counted by the coefficients of the Gaussian binomial. 1 <= m, n <= kMostReplications.
    [[nodiscard]] static RankNull mann_whitney(std::size_t m, std::size_t n);

    /// The statistic's largest value: n(n+1)/2 or m*n, the number of Walsh averages or differences.
    [[nodiscard]] std::size_t max() const { return upper_.size() - 1; }
    /// P(statistic >= c): exactly 1 for c = 0, 0 beyond max().
    [[nodiscard]] double upper_tail(std::size_t c) const;
    /// P(statistic <= c), by symmetry.
    [[nodiscard]] double lower_tail(std::size_t c) const;
    /// The largest k with P(statistic <= k-1) <= alpha; 0: none, there are too few values.
    [[nodiscard]] std::size_t interval_rank(double alpha) const;

  private:
    explicit RankNull(std::vector<double> upper) : upper_(std::move(upper)) {}

    std::vector<double> upper_;  ///< by c
};

}  // namespace bench::analysis
