#pragma once

#include <string_view>

#include "common/benchmark.h"

namespace bench::latt {

/// Reads what one run of latt 0.1 printed. Text before the line "Parameters: ..." is the load's and
/// is skipped; blanks, tabs and carriage returns count for nothing. The figures become summaries
/// without samples: the count, mean, stdev and max of wakeup and, when there was work, of work.
/// Times are whole microseconds, at most max_import_us.
///
/// An Error's object is the line that can't be read: no parameters, an unfinished or altered
/// output, a figure that is no whole number, a second output in the same text.
[[nodiscard]] Result<ImportedCell> import_classic(std::string_view text);

/// In nanoseconds it is still exact as a double: 104 days.
inline constexpr std::uint64_t max_import_us = (std::uint64_t{1} << 53U) / 1000U;

}  // namespace bench::latt
