#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/bundle.h"
#include "common/metric.h"

namespace bench {

/// Columns of the terminal that `fd` leads to; absent when it is none or does not tell.
[[nodiscard]] std::optional<std::size_t> terminal_width(int fd);

/// format_table() for a terminal of `width` columns (absent: as wide as it gets). When lines would
/// wrap, the means and deviations of metrics that have a median in the table are left out, and a
/// line below says which: the summary has them. What is too wide even so stays so.
[[nodiscard]] std::string format_fitted_table(const std::vector<SummaryRow>& rows,
                                              const std::vector<TableColumn>& columns,
                                              std::optional<std::size_t> width);

}  // namespace bench
