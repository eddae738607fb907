#pragma once

#include "analysis/study.h"

namespace bench::analysis {

/// For programs: answer and exit status, findings, obstacles, remarks. What is not known is null.
/// Effects are ratios B/A or differences B - A in the metric's unit, as `scale` says.
[[nodiscard]] Json study_json(const Study& study);

}  // namespace bench::analysis
