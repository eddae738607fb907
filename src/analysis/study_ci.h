#pragma once

#include <string>

#include "analysis/study.h"

namespace bench::analysis {

/// For continuous integration: study_cases() in the formats its programs read.

/// JUnit's XML: one suite, whose system-out is study_text(). No times: nothing ran.
[[nodiscard]] std::string study_junit(const Study& study);

/// KTAP version 1, flat, with study_text() as diagnostic lines ahead of the results.
[[nodiscard]] std::string study_ktap(const Study& study);

/// Text for XML 1.0: escaped, with U+FFFD for bytes that are not UTF-8 and for characters that XML
/// can't hold.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace bench::analysis
