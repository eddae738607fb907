#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace bench::analysis {

inline constexpr std::size_t kResamples = 9999;

/// The tail that makes a percentile interval of n runs as wide as Student's (Hesterberg 2015):
/// Phi(-sqrt(n/(n-1)) * t_{1-alpha,n-1}); n >= 2, 0 < alpha < 0.5.
[[nodiscard]] double expanded_tail(std::size_t n, double alpha);

/// The same numbers in every report: a seed from what is described (64-bit FNV-1a).
[[nodiscard]] std::uint64_t bootstrap_seed(std::string_view test, std::string_view metric);

struct BootstrapInterval {
    double low = 0;
    double high = 0;
};

/// Descriptive interval of a statistic of n whole runs, with `tail` beyond each end. `statistic`
/// gets n places of runs drawn with replacement, so that what belongs together stays together.
/// Absent: n < 2, or a tail that `resamples` are too few for. No verdict rests on it.
[[nodiscard]] std::optional<BootstrapInterval> bootstrap(
    std::size_t n, const std::function<double(std::span<const std::size_t>)>& statistic,
    double tail, std::uint64_t seed, std::size_t resamples = kResamples);

}  // namespace bench::analysis
