#include "analysis/deterministic.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace bench::analysis {

namespace {

bool reproduced(std::span<const double> runs) {
    return runs.size() >= 2 &&
           std::adjacent_find(runs.begin(), runs.end(), std::not_equal_to<>()) == runs.end();
}

}  // namespace

DeterministicComparison compare_deterministic(std::span<const double> a, std::span<const double> b,
                                              Better better, double relative) {
    DeterministicComparison result;
    if (better == Better::none || !reproduced(a) || !reproduced(b)) {
        return result;
    }
    const double before = a.front();
    const double after = b.front();
    result.identical = before == after;
    result.difference = after - before;
    if (before != 0) {
        result.ratio = after / before;
    }
    const double worse = (better == Better::lower ? 1 : -1) * (after - before);
    if (std::abs(worse) <= relative * std::abs(before)) {
        result.verdict = Verdict::unchanged;
    } else {
        result.verdict = worse > 0 ? Verdict::regressed : Verdict::improved;
    }
    return result;
}

}  // namespace bench::analysis
