#pragma once

#include <cstdint>

namespace bench::analysis {

/// The classic distributions, by Boost.Math. One source compiles its headers; everybody else
/// includes this.

/// P(Z <= z) of the standard normal; z finite.
[[nodiscard]] double normal_cdf(double z);
/// The z with P(Z <= z) = p; 0 < p < 1.
[[nodiscard]] double normal_quantile(double p);
/// The t with P(T <= t) = p; 0 < p < 1, df > 0.
[[nodiscard]] double students_t_quantile(double p, double df);
/// P(T > t); df > 0.
[[nodiscard]] double students_t_upper_tail(double t, double df);
/// P(Bin(n, q) <= k); 0 <= q <= 1. 1 for k >= n.
[[nodiscard]] double binomial_cdf(std::uint64_t n, double q, std::uint64_t k);

}  // namespace bench::analysis
