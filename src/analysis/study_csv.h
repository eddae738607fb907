#pragma once

#include <string>

#include "analysis/study.h"

namespace bench::analysis {

/// One record per finding under a header line, RFC 4180. `base` and `new` are medians of the runs;
/// effect, low and high as `scale` says; what is not known is empty. `obstacles` holds the ids of
/// all that forbids the comparison, joined by ';', in every record.
[[nodiscard]] std::string study_csv(const Study& study);

}  // namespace bench::analysis
