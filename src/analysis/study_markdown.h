#pragma once

#include <string>

#include "analysis/study.h"

namespace bench::analysis {

/// What study_text() says as Markdown with tables, for a job's summary or a comment on a change.
[[nodiscard]] std::string study_markdown(const Study& study);

/// Text that Markdown shows as it is, on one line: no emphasis, links, HTML or table cells of its
/// own.
[[nodiscard]] std::string markdown_text(std::string_view text);

}  // namespace bench::analysis
