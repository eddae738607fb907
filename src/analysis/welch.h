#pragma once

#include <optional>
#include <span>

namespace bench::analysis {

/// Welch's t test (1947): a cross-check in explanations, never a verdict.
struct Welch {
    double t = 0;
    double df = 0;
    double p_two_sided = 1;
    double difference = 0;  ///< mean(a) - mean(b)
    double low = 0;         ///< its 95 % interval
    double high = 0;
};

/// Absent: fewer than two values on a side, or no variance on both.
[[nodiscard]] std::optional<Welch> welch(std::span<const double> a, std::span<const double> b);

}  // namespace bench::analysis
