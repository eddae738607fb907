#pragma once

#include <optional>
#include <span>

#include "analysis/verdict.h"
#include "common/metric.h"

namespace bench::analysis {

/// A simulation has no sampling error: no p, no interval.
struct DeterministicComparison {
    Verdict verdict = Verdict::invalid;
    std::optional<bool> identical;     ///< absent: invalid
    std::optional<double> difference;  ///< B - A, exactly
    std::optional<double> ratio;       ///< B/A; absent when A is 0
};

/// Each side holds the stored values of the same variant run at least twice; runs that differ, or
/// one run alone, are invalid, and so is better none. Equal sides are unchanged; else a change
/// beyond `relative` (>= 0; 0: any) of A decides. Takes no part in Holm.
[[nodiscard]] DeterministicComparison compare_deterministic(std::span<const double> a,
                                                            std::span<const double> b,
                                                            Better better, double relative = 0);

}  // namespace bench::analysis
