#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>
#include <vector>

#include "runner/cell_options.h"
#include "runner/plan.h"

namespace bench {

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

/// All of them in the order in which they vary (the last one fastest), the test's own first. They
/// refer to `benchmark`.
[[nodiscard]] std::vector<CellAxis> cell_axes(Benchmark& benchmark);

/// Options of a sweep: each may have several values, which are put into `chosen`, one Axis for each
/// option given, in the order of `axes`. Bad and repeated values are refused. `axes` must outlive
/// the parsing, as must `chosen`.
void add_axis_options(CLI::App& app, const std::vector<CellAxis>& axes, std::vector<Axis>& chosen);

/// Options of one cell: each has one value at most.
void add_axis_options(CLI::App& app, const std::vector<CellAxis>& axes, CellOptions& options);

/// What a cell with these settings (option, value) is asked for, `shared` aside. The test's own are
/// set in the test.
[[nodiscard]] CellOptions with_settings(
    const std::vector<CellAxis>& axes, CellOptions shared,
    const std::vector<std::pair<std::string, std::string>>& settings);

/// Whether a cell's settings and the test's options can hold together: an Error with object =
/// option.
[[nodiscard]] Status check_cell(const CellOptions& options, const Benchmark& benchmark);
/// Whether every combination of the axes' values can hold together: an Error with object = option.
[[nodiscard]] Status check_combinations(const std::vector<CellAxis>& axes,
                                        const CellOptions& shared, const std::vector<Axis>& chosen,
                                        const Benchmark& benchmark);

}  // namespace bench
