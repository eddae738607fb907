#include "runner/fitted_table.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <string_view>

#include "runner/table.h"

namespace bench {
namespace {

/// The longest line above the legend, in bytes: no fewer than the terminal's columns.
std::size_t widest_line(std::string_view text) {
    std::size_t most = 0;
    while (!text.empty() && text.front() != '\n') {
        const std::size_t end = std::min(text.find('\n'), text.size());
        most = std::max(most, end);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return most;
}

bool can_go(const TableColumn& column, const std::vector<TableColumn>& all) {
    const bool plain = column.statistic == Statistic::mean || column.statistic == Statistic::stdev;
    return plain && std::any_of(all.begin(), all.end(), [&](const TableColumn& other) {
               return other.metric == column.metric && other.statistic == Statistic::p50;
           });
}

}  // namespace

std::optional<std::size_t> terminal_width(int fd) {
    winsize size{};
    if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
        return std::nullopt;
    }
    return size.ws_col;
}

std::string format_fitted_table(const std::vector<SummaryRow>& rows,
                                const std::vector<TableColumn>& columns,
                                std::optional<std::size_t> width) {
    std::string whole = format_table(rows, columns);
    if (!width || widest_line(whole) <= *width) {
        return whole;
    }
    std::vector<TableColumn> kept;
    std::string gone;
    for (const TableColumn& column : columns) {
        if (can_go(column, columns)) {
            gone += (gone.empty() ? "" : ", ") + column.heading;
        } else {
            kept.push_back(column);
        }
    }
    if (gone.empty()) {
        return whole;
    }
    return format_table(rows, kept) + "\nleft out of this narrow table: " + gone + "\n";
}

}  // namespace bench
