#include "runner/runner.h"

#include <fmt/format.h>

#include "common/log.h"
#include "common/signal_name.h"

namespace bench {
namespace {

class PlanRun {
  public:
    PlanRun(const Plan& plan, Executor& executor, BundleWriter& writer, RunObserver& observer,
            const CellFallback& fallback, const std::filesystem::path& scratch,
            Duration cell_timeout)
        : plan_(plan),
          executor_(executor),
          writer_(writer),
          observer_(observer),
          fallback_(fallback),
          scratch_(scratch),
          cell_timeout_(cell_timeout) {}

    Result<RunCounts> run(const std::vector<PlannedCell>& cells, const GoOn& go_on) {
        counts_.planned = static_cast<std::int64_t>(cells.size());
        for (const auto& cell : warmup_cells(cells, plan_.warmups)) {
            const auto execution = execute(cell);
            discard(cell);
            if (execution && execution->conduct == CellConduct::interrupted) {
                counts_.interrupted = true;
                return counts_;
            }
        }
        for (const auto& cell : cells) {
            auto execution = execute(cell);
            if (execution && execution->conduct == CellConduct::interrupted) {
                counts_.interrupted = true;
                discard(cell);
                return counts_;
            }
            auto kept = keep(cell, execution);
            discard(cell);
            if (!kept) {
                return kept.error();
            }
            if (Status looked = look_beside(cell, *kept); !looked) {
                return looked.error();
            }
            finished(cell, *kept);
            if (go_on && !go_on(counts_.finished())) {
                counts_.planned = counts_.finished();
                break;
            }
        }
        return counts_;
    }

  private:
    std::filesystem::path bundle_of(const PlannedCell& cell) const {
        return scratch_ / fmt::format("cell-{}", cell.number);
    }

    Result<CellExecution> execute(const PlannedCell& cell) {
        observer_.cell_started(cell);
        const CellRequest request{cell_arguments(plan_, cell), bundle_of(cell), cell_timeout_,
                                  cell.place};
        log_debug(fmt::format("cell {}: bench {}", cell.number, fmt::join(request.arguments, " ")));
        return executor_.run(request, [this] { return observer_.tick(); });
    }

    void discard(const PlannedCell& cell) const {
        std::error_code ignored;
        std::filesystem::remove_all(bundle_of(cell), ignored);
        std::filesystem::remove(bundle_of(cell).string() + ".out", ignored);
    }

    CellKey stamp(const PlannedCell& cell) const {
        CellKey key = fallback_.key;
        key.clients = cell.clients;
        key.repetition = cell.repetition;
        key.pair = cell.pair;
        key.order = cell.number;
        key.seed = cell.seed;
        return key;
    }

    /// Puts the cell into the bundle; gives back the rows it measured.
    Result<std::vector<SummaryRow>> keep(const PlannedCell& cell,
                                         const Result<CellExecution>& execution) {
        if (execution && execution->conduct == CellConduct::finished) {
            auto bundle = read_bundle(bundle_of(cell));
            if (bundle && bundle->run.value("status", "") == "complete") {
                CellKey key = stamp(cell);
                key.boot = execution->boot;
                const CellAddition addition{execution->taints, execution->details};
                if (auto merged = writer_.merge(bundle_of(cell), key, addition); !merged) {
                    return merged.error();
                }
                for (SummaryRow& row : bundle->rows) {
                    if (!addition.taints.empty() && row.status == RowStatus::ok) {
                        row.status = RowStatus::tainted;
                    }
                }
                return std::move(bundle->rows);
            }
        }
        if (auto added = writer_.add(broken_cell(cell, execution)); !added) {
            return added.error();
        }
        return std::vector<SummaryRow>{};
    }

    /// The row of a cell that left no whole bundle.
    CellRecord broken_cell(const PlannedCell& cell, const Result<CellExecution>& execution) const {
        CellRecord record;
        record.cell = cell.number;
        record.key = stamp(cell);
        if (fallback_.place) {
            fallback_.place(cell, record.key);
        }
        if (fallback_.variant) {
            record.key.variant = fallback_.variant(cell);
        }
        record.metrics = fallback_.metrics;
        record.status = RowStatus::failed;
        if (!execution) {
            record.status = RowStatus::not_run;
            record.reason = execution.error().message();
            return record;
        }
        record.details = execution->details;
        switch (execution->conduct) {
            case CellConduct::never_ran:
                record.status = RowStatus::not_run;
                record.reason = execution->reason;
                break;
            case CellConduct::broke:
                record.reason = execution->reason;
                break;
            case CellConduct::timed_out:
                record.reason = "the cell did not end in time and was killed";
                break;
            case CellConduct::lost:
                record.reason = "the process that watches over the cell was killed";
                break;
            case CellConduct::interrupted:
            case CellConduct::finished:
                record.reason = execution->exit_code > 128
                                    ? fmt::format("the cell's process was killed by {}",
                                                  signal_name(execution->exit_code - 128))
                                    : fmt::format(
                                          "the cell's process ended with status {} and "
                                          "left no result",
                                          execution->exit_code);
        }
        if (!execution->output_tail.empty()) {
            record.details["output_tail"] = execution->output_tail;
            const auto last_line = execution->output_tail.find_last_of('\n');
            record.reason +=
                "; it said: " +
                execution->output_tail.substr(last_line == std::string::npos ? 0 : last_line + 1);
        }
        return record;
    }

    /// A block's cells run one after the other: what went before it can be forgotten.
    Status look_beside(const PlannedCell& cell, const std::vector<SummaryRow>& rows) {
        if (!fallback_.beside) {
            return {};
        }
        if (!block_.empty() && (block_.front().key.repetition != cell.repetition ||
                                block_.front().key.pair != cell.pair)) {
            block_.clear();
        }
        for (const SummaryRow& row : rows) {
            SummaryRow& placed = block_.emplace_back(row);
            placed.key.repetition = cell.repetition;
            placed.key.pair = cell.pair;
            placed.key.order = cell.number;
        }
        const std::vector<LateFigures> late = fallback_.beside(block_);
        if (late.empty()) {
            return {};
        }
        Status filled = writer_.fill(late);
        return filled ? fill_rows(block_, late) : filled;
    }

    void finished(const PlannedCell& cell, const std::vector<SummaryRow>& rows) {
        const Json& cells = writer_.run().at("cells");
        count(cells);
        observer_.cell_finished(cell, cells.back(), rows);
    }

    /// All of them anew: one may have become tainted by what was found beside it.
    void count(const Json& cells) {
        counts_.ok = counts_.tainted = counts_.not_run = counts_.failed = 0;
        for (const Json& cell : cells) {
            switch (parse_status(cell.value("status", "")).value_or(RowStatus::failed)) {
                case RowStatus::ok:
                    ++counts_.ok;
                    break;
                case RowStatus::tainted:
                    ++counts_.tainted;
                    break;
                case RowStatus::not_run:
                    ++counts_.not_run;
                    break;
                case RowStatus::failed:
                    ++counts_.failed;
                    break;
            }
        }
    }

    const Plan& plan_;
    Executor& executor_;
    BundleWriter& writer_;
    RunObserver& observer_;
    const CellFallback& fallback_;
    const std::filesystem::path& scratch_;
    Duration cell_timeout_;
    std::vector<SummaryRow> block_;  ///< of the repetition, and pair, under way
    RunCounts counts_;
};

}  // namespace

Result<RunCounts> run_plan(const Plan& plan, Executor& executor, BundleWriter& writer,
                           RunObserver& observer, const CellFallback& fallback,
                           const std::filesystem::path& scratch, Duration cell_timeout) {
    return run_cells(plan, order_cells(plan), {}, executor, writer, observer, fallback, scratch,
                     cell_timeout);
}

Result<RunCounts> run_cells(const Plan& plan, const std::vector<PlannedCell>& cells,
                            const GoOn& go_on, Executor& executor, BundleWriter& writer,
                            RunObserver& observer, const CellFallback& fallback,
                            const std::filesystem::path& scratch, Duration cell_timeout) {
    return PlanRun(plan, executor, writer, observer, fallback, scratch, cell_timeout)
        .run(cells, go_on);
}

}  // namespace bench
