#pragma once

#include <span>
#include <vector>

namespace bench::analysis {

/// Adds to latencies measured by a loop that stops while it waits those that it missed: for each
/// value v also v-i, v-2i, ... while >= i, the interval it should have kept. Ascending; `interval`
/// > 0. A secondary column: the right latency is measured from the wake-up that was intended.
[[nodiscard]] std::vector<double> fill_expected_interval(std::span<const double> values,
                                                         double interval);

}  // namespace bench::analysis
