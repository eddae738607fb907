#pragma once

#include <string>

#include "analysis/study.h"

namespace bench::analysis {

/// For people: a line to paste into a mail, what was not measured, a table of what decided with its
/// client counts, one line for every other figure, and what differs.
[[nodiscard]] std::string study_text(const Study& study);

}  // namespace bench::analysis
