#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/run_options.h"
#include "app/run_report.h"
#include "common/guardian.h"
#include "common/stop_source.h"
#include "runner/runner.h"

namespace bench {

/// Cells to run here, one after the other.
struct LocalRun {
    const Plan& plan;
    const std::vector<PlannedCell>& cells;
    const CellFallback& fallback;
    std::vector<TableColumn> columns;  ///< for the progress
    Duration timeout{};                ///< of a cell
    bool strict = false;
    /// Asked after each cell whether to go on; empty: to the end.
    std::function<bool(const BundleWriter&, std::int64_t finished)> go_on = {};
    std::optional<std::string> kernel = {};  ///< in the folder's name; absent: the running one
    /// Makes the executor that cells go to; null, or empty: `here`. May add to the head.
    std::function<Result<std::unique_ptr<Executor>>(Executor& here, StopSource& stop,
                                                    const Guardian& keeper, Json& header)>
        executor = {};
};

/// Rows of cells that left nothing still say where they should have run. Without `variant`.
[[nodiscard]] CellFallback local_fallback(const Benchmark& benchmark, const CellOptions& options);

/// Makes the bundle, runs the cells and closes it. An Error: nothing was run.
[[nodiscard]] Result<RunEnd> run_here(const RunOptions& options, Json header, const LocalRun& run);

}  // namespace bench
