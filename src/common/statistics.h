#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/metric.h"

namespace bench {

/// A quantile level in parts per million: p99 is 990'000.
using Ppm = std::uint32_t;

/// 1-based nearest rank max(1, ceil(n*ppm/1e6)) in integer arithmetic; n >= 1, ppm <= 1,000,000.
[[nodiscard]] std::uint64_t nearest_rank(std::uint64_t n, Ppm ppm);

/// The value at the nearest rank. `sorted` ascending and not empty. Never outside [min, max].
[[nodiscard]] double quantile_nearest(std::span<const double> sorted, Ppm ppm);

/// Type 7 (linear interpolation, h = (n-1)p), for medians and quartiles over runs. `sorted`
/// ascending, not empty.
[[nodiscard]] double quantile_type7(std::span<const double> sorted, Ppm ppm);

/// Whether an upper quantile may be shown. n_min = smallest n with q^n <= 0.05: below it the
/// largest value probably lies under the true quantile. Solid from n(1-q) >= 10. No number of
/// samples is enough for 1,000,000 ppm.
enum class Availability { not_available, weak, solid };
[[nodiscard]] Availability quantile_availability(std::uint64_t n, Ppm ppm);
[[nodiscard]] std::uint64_t quantile_min_samples(Ppm ppm);

/// Two-pass mean and deviations. Absent where not defined: no value, one value (sample_stdev), mean
/// 0 (CV, which is a share of the mean's magnitude). The mean lies within [min, max].
[[nodiscard]] std::optional<double> mean(std::span<const double> values);
[[nodiscard]] std::optional<double> sample_stdev(std::span<const double> values);  ///< divisor n-1
[[nodiscard]] std::optional<double> population_stdev(
    std::span<const double> values);  ///< divisor n
[[nodiscard]] std::optional<double> sample_cv(std::span<const double> values);
[[nodiscard]] std::optional<double> population_cv(std::span<const double> values);
/// Jain's fairness index (sum x)^2 / (n sum x^2); absent when all are 0 or one is negative.
[[nodiscard]] std::optional<double> jain_index(std::span<const double> values);

/// The figures of one row of summary.csv. Percentiles that are not available are absent.
struct Summary {
    std::uint64_t count = 0;
    std::optional<double> mean, stdev, min, p50, p90, p95, p99, p999, max;

    [[nodiscard]] std::optional<double> get(Statistic statistic) const;
};

/// Sorts a copy. NaN and infinities are programming errors (asserted).
[[nodiscard]] Summary summarise(std::span<const double> values);

}  // namespace bench
