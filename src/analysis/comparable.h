#pragma once

#include <vector>

#include "analysis/obstacle.h"
#include "analysis/side.h"

namespace bench::analysis {

struct Comparability {
    std::vector<Obstacle> obstacles;   ///< one per id at most
    std::vector<std::string> unknown;  ///< what only one side recorded: it may differ unseen
};

/// Whether the machines and the workloads of two sides are the same as far as the question is about
/// kernels and schedulers: CPUs, governor, turbo, SMT, mitigations, clock source, virtualisation,
/// zlib, versions of the workload, its calibration; and whether a sched_ext scheduler died in a
/// cell. What the bundles did not record can't differ, and is told as unknown.
[[nodiscard]] Comparability comparable(const Side& base, const Side& fresh);

}  // namespace bench::analysis
