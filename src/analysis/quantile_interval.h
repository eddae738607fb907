#pragma once

#include <cstdint>
#include <optional>

#include "common/statistics.h"

namespace bench::analysis {

/// The order statistics that enclose a quantile; ranks from 1. An absent end is unbounded: too few
/// samples lie beyond.
struct RankInterval {
    std::optional<std::uint64_t> low, high;
    double level = 0;  ///< what it covers exactly
};

/// low is the largest r with P(Bin(n, q) <= r-1) <= alpha, high the smallest s with
/// P(Bin(n, q) >= s) <= alpha. n >= 1, 0 < ppm < 1,000,000, 0 < alpha < 0.5. Describes one run
/// whose samples do not depend on each other; no verdict rests on it.
[[nodiscard]] RankInterval quantile_interval(std::uint64_t n, Ppm ppm, double alpha);

}  // namespace bench::analysis
