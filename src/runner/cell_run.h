#pragma once

#include <string>
#include <vector>

#include "common/bundle.h"
#include "common/stop_source.h"
#include "runner/cell_options.h"

namespace bench {

/// Where a cell came to, as `bench exec` reports it.
struct CellEnd {
    RowStatus status = RowStatus::ok;
    std::string reason;  ///< of a cell that did not run or failed
    int signal = 0;      ///< stopped by it: nothing was written
};

/// Runs one cell in this process, in the order: scheduler switches, environment read, CPUs,
/// requirements, test and load prepared, load started, the test, load stopped, switches put back,
/// bundle written. Whatever stands in the way makes a
/// not-run row with the reason. An Error: the bundle could not be written.
[[nodiscard]] Result<CellEnd> run_cell(Benchmark& benchmark, CellOptions options, StopSource& stop,
                                       const std::vector<std::string>& command,
                                       const SystemRoot& system);

/// Version, revision and compiler of this tool, for run.json.
[[nodiscard]] Json tool_identity();

}  // namespace bench
