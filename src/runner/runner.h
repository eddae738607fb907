#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/bundle.h"
#include "runner/executor.h"
#include "runner/plan.h"

namespace bench {

/// Told what happens, to show it.
class RunObserver {
  public:
    RunObserver() = default;
    virtual ~RunObserver() = default;
    RunObserver(const RunObserver&) = delete;
    RunObserver& operator=(const RunObserver&) = delete;

    virtual void cell_started(const PlannedCell& /*cell*/) {}
    /// About five times a second; false stops the run.
    virtual bool tick() { return true; }
    /// `record` is the cell's entry in run.json, `rows` its rows.
    virtual void cell_finished(const PlannedCell& /*cell*/, const Json& /*record*/,
                               const std::vector<SummaryRow>& /*rows*/) {}
};

/// What the runner must know of the test: to give a cell that left no bundle its rows, and what
/// cells show beside each other.
struct CellFallback {
    CellKey key;  ///< test, kernel, scheduler; the rest comes from the planned cell
    std::function<std::string(const PlannedCell&)> variant;  ///< as the cell itself would write it
    /// For cells that run elsewhere: kernel and scheduler in place of the key's.
    std::function<void(const PlannedCell&, CellKey&)> place = {};
    std::vector<Metric> metrics;
    /// Benchmark::beside(); may be empty.
    std::function<std::vector<LateFigures>(const std::vector<SummaryRow>&)> beside = {};
};

struct RunCounts {
    std::int64_t planned = 0, ok = 0, tainted = 0, not_run = 0, failed = 0;
    bool interrupted = false;
    [[nodiscard]] std::int64_t finished() const { return ok + tainted + not_run + failed; }
};

/// Runs warm-ups and cells. The bundle gets them in the order of the plan, each as soon as it and
/// all before it have ended: where one runs at a time, before the next begins. `scratch` holds the
/// cells' bundles on their way. An Error: the bundle could not be written any more (what was
/// written stays).
[[nodiscard]] Result<RunCounts> run_plan(const Plan& plan, Executor& executor, BundleWriter& writer,
                                         RunObserver& observer, const CellFallback& fallback,
                                         const std::filesystem::path& scratch,
                                         Duration cell_timeout);

/// Asked after each cell, with how many have finished, whether to go on.
using GoOn = std::function<bool(std::int64_t finished)>;

/// The same with these cells in this order instead of order_cells(). When `go_on` says no the run
/// is over, and what it ran is what was planned.
[[nodiscard]] Result<RunCounts> run_cells(const Plan& plan, const std::vector<PlannedCell>& cells,
                                          const GoOn& go_on, Executor& executor,
                                          BundleWriter& writer, RunObserver& observer,
                                          const CellFallback& fallback,
                                          const std::filesystem::path& scratch,
                                          Duration cell_timeout);

}  // namespace bench
