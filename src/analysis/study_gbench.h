#pragma once

#include "analysis/study.h"

namespace bench::analysis {

/// Both sides as one object of Google Benchmark's JSON, for its tools/compare.py in the mode
/// `filters FILE ^base/ ^new/`: an entry per run of every figure that was compared, named
/// "base/latt/wakeup_p50/clients:8" (without clients over a whole sweep; with the variant behind
/// the test where there are several).
///
/// Durations are real_time, in ns. That script asks for a cpu_time and reads only times: cpu_time
/// repeats real_time, and what is not a duration stands as `value` with its `unit`, which it
/// passes over.
[[nodiscard]] Json study_gbench(const Study& study);

}  // namespace bench::analysis
