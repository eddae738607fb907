#pragma once

#include <string>
#include <vector>

#include "common/bundle.h"
#include "common/metric.h"

namespace bench {

/// For a line on a terminal: control characters, which a load's command may hold, become '?'.
[[nodiscard]] std::string printable(const std::string& text);

/// The table people read after a run: one line per kernel, scheduler, variant (each shown when it
/// varies, or when a column without a metric names it) and client count. Repetitions are combined:
/// medians of the figures, but the sum of n, the smallest minimum and the largest maximum.
/// Durations of a metric share one unit. "n/a": not measured or too few samples for that
/// percentile; "~": few samples beyond it; a line that is not ok says so at its end, and how many
/// of its repetitions did not run or broke: they are left out of its figures. Ends with a legend of
/// the marks used.
[[nodiscard]] std::string format_table(const std::vector<SummaryRow>& rows,
                                       const std::vector<TableColumn>& columns);

/// What the last finished cell showed, for the progress line: "wakeup p50 1.234 ms, p99 n/a".
[[nodiscard]] std::string format_highlight(const std::vector<SummaryRow>& rows,
                                           const std::vector<TableColumn>& columns);

}  // namespace bench
