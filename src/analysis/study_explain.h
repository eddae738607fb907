#pragma once

#include <string>

#include "analysis/study.h"

namespace bench::analysis {

/// How the verdict on each endpoint that decides came about, in plain words with its numbers:
/// runs, effect, interval, margin, the three questions with their p values under Holm, what could
/// have been found, and the planned looks. Ends with a line feed.
[[nodiscard]] std::string study_explanation(const Study& study);

}  // namespace bench::analysis
