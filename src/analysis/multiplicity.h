#pragma once

#include <span>
#include <vector>

namespace bench::analysis {

/// Adjusted p values in the order given, each at most 1. p in [0, 1]; none gives none.

/// Step-down after Holm (1979): holds the chance of any false alarm.
[[nodiscard]] std::vector<double> holm(std::span<const double> p);
/// Step-up after Benjamini and Hochberg (1995): the share of false ones among those named.
/// Information only.
[[nodiscard]] std::vector<double> benjamini_hochberg(std::span<const double> p);

}  // namespace bench::analysis
