#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace bench::analysis {

enum class Design { paired, unpaired };

/// One-sided error, in each direction, of a whole comparison.
inline constexpr double kAlpha = 0.025;
inline constexpr double kPower = 0.8;
/// More runs than this are no advice: the effect sits at the margin.
inline constexpr std::uint64_t kMostMoreRuns = 200;

/// The smallest one-sided p that n pairs (2^-n), or n runs a side (1/C(2n, n)), can reach; n >= 1.
[[nodiscard]] double smallest_p(Design design, std::uint64_t n);

/// The fewest pairs, or runs a side, that can be significant at alpha among `endpoints` of Holm:
/// smallest_p <= alpha/endpoints. 0 < alpha < 1, endpoints >= 1.
[[nodiscard]] std::uint64_t fewest_replications(Design design, double alpha,
                                                std::uint64_t endpoints);

/// The error each of `looks` planned looks may spend: alpha / looks; looks >= 1.
[[nodiscard]] double alpha_per_look(double alpha, std::size_t looks);
/// How many endpoints can be significant at all with n pairs at that alpha: floor(alpha * 2^n).
[[nodiscard]] std::uint64_t most_endpoints(double alpha, std::uint64_t pairs);

/// The place in `looks` (ascending numbers of pairs) of the look that has just been reached: the
/// last that is <= pairs; absent before the first.
[[nodiscard]] std::optional<std::size_t> look_reached(std::span<const std::uint64_t> looks,
                                                      std::uint64_t pairs);

/// What the planning formulas need of a comparison. Effects, margin and sd are on the scale of the
/// tests: logarithms of ratios, or plain differences.
struct Precision {
    double sd = 0;  ///< of the paired differences; see unpaired_sd; >= 0
    double margin = 0;
    double alpha = kAlpha;
    std::uint64_t endpoints = 1;
    Design design = Design::paired;
};

/// The sd to use for two samples: that of a difference of two values, sqrt(var_a + var_b). Then
/// sd/sqrt(n) is the standard error of a difference of means of n a side. Absent: fewer than two
/// values on a side.
[[nodiscard]] std::optional<double> unpaired_sd(std::span<const double> a,
                                                std::span<const double> b);

/// The smallest change found with 80 % power: margin + c*(t_{1-alpha/K} + t_{0.8})*sd/sqrt(n), with
/// n-1 degrees of freedom (2n-2 for two samples), c = sqrt(pi/3) for what ranks lose on normal
/// data. Absent for n < 2.
[[nodiscard]] std::optional<double> minimum_detectable_effect(const Precision& precision,
                                                              std::uint64_t n);

/// How many pairs (runs a side) in all would settle an `effect` that lies where it seems to lie:
/// the smallest n >= the fewest possible with c*(t+t)*sd/sqrt(n) <= its distance from the nearest
/// margin. Absent: more than `have` + kMostMoreRuns, the effect sits at the margin.
[[nodiscard]] std::optional<std::uint64_t> replications_needed(const Precision& precision,
                                                               double effect, std::uint64_t have);

}  // namespace bench::analysis
