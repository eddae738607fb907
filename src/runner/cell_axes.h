#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>
#include <vector>

#include "runner/cell_options.h"
#include "runner/plan.h"

namespace bench {

/// How several values of an axis are given.
enum class AxisList {
    repeat,  ///< free text: only by repeating the option
    comma,   ///< a closed vocabulary: also as a comma list
    flag,    ///< like comma, and the option alone means "on"
};

/// An option that describes one cell and may vary over the cells of a sweep.
struct CellAxis {
    std::string option;  ///< "--policy"
    std::string type;    ///< for --help
    std::string help;
    AxisList list = AxisList::repeat;
    /// Reads one value into the options and gives back its plain spelling, by which two values are
    /// told to be the same; throws CLI::ValidationError.
    std::function<std::string(CellOptions&, const std::string&)> apply;
};

/// All of them, in the order in which they vary (the last one fastest).
[[nodiscard]] const std::vector<CellAxis>& cell_axes();

/// Options of a sweep: each may have several values, which are put into `chosen`, one Axis for each
/// option given. Bad and repeated values are refused.
void add_axis_options(CLI::App& app, std::vector<Axis>& chosen);

/// Options of one cell: each has one value at most.
void add_axis_options(CLI::App& app, CellOptions& options);

/// What a cell with these settings (option, value) is asked for, `shared` aside.
[[nodiscard]] CellOptions with_settings(
    CellOptions shared, const std::vector<std::pair<std::string, std::string>>& settings);

/// Whether a cell's settings can hold together: an Error with object = option.
[[nodiscard]] Status check_cell(const CellOptions& options);
/// Whether every combination of the axes' values can hold together: an Error with object = option.
[[nodiscard]] Status check_combinations(const CellOptions& shared, const std::vector<Axis>& axes);

}  // namespace bench
