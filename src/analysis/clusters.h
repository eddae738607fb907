#pragma once

#include <optional>
#include <span>
#include <vector>

namespace bench::analysis {

/// How much the samples of one run resemble each other, by one-way analysis of variance: why
/// samples are no replications.
struct Clusters {
    double ms_between = 0;
    double ms_within = 0;
    double icc = 0;            ///< intra-class correlation; below 0: runs resemble each other more
    double design_effect = 1;  ///< 1 + (samples a run - 1) * icc
    double effective = 0;      ///< samples / design_effect: independent ones worth as much
};

/// Absent: fewer than two runs, an empty run, one sample each, or no variance at all.
[[nodiscard]] std::optional<Clusters> cluster_effect(std::span<const std::vector<double>> runs);

}  // namespace bench::analysis
