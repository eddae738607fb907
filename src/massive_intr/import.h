#pragma once

#include <string_view>

#include "common/benchmark.h"

namespace bench::massive_intr {

/// Reads what the classic program printed: a line "pid TAB loops" per process, both decimal, with
/// leading zeros or not. Line ends may be CRLF, blank lines are skipped; anything else is an Error
/// that names the line, and so is a pid that comes twice. Process i is the i-th line.
[[nodiscard]] Result<ImportedCell> import_classic(std::string_view text);

}  // namespace bench::massive_intr
