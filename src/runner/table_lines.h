#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/bundle.h"

namespace bench {

/// What a line of the table stands for, in the order lines are sorted.
struct LineKey {
    std::string kernel, scheduler, variant;
    std::optional<std::int64_t> clients;
    std::size_t place = 0;  ///< of the subject among its cell's
    std::string subject{};  ///< empty: the whole cell
    auto operator<=>(const LineKey&) const = default;
};

/// What tells the cells of a line apart.
using CellPlace = std::array<std::optional<std::int64_t>, 4>;

struct Line {
    std::map<std::string, std::vector<const SummaryRow*>> by_metric;
    RowStatus worst = RowStatus::ok;
    std::set<CellPlace> cells, left_out;

    /// Some repetitions were measured, some not.
    [[nodiscard]] bool partial() const {
        return !left_out.empty() && left_out.size() < cells.size();
    }
};

/// ok or tainted.
[[nodiscard]] bool ran(RowStatus status);

/// Rows by the line that shows them. `by_subject`: a line for each subject of a cell, with the rows
/// of the whole cell beside its own; else one for the cell, and rows of subjects are left out. A
/// cell without subjects has one line either way.
[[nodiscard]] std::map<LineKey, Line> group_lines(const std::vector<SummaryRow>& rows,
                                                  bool by_subject);

}  // namespace bench
