#include "runner/runner.h"

#include <fmt/format.h>

#include <map>

#include "common/log.h"
#include "common/signal_name.h"

namespace bench {
namespace {

class PlanRun : public CellQueue {
  public:
    PlanRun(const Plan& plan, const std::vector<PlannedCell>& cells, const GoOn& go_on,
            Executor& executor, BundleWriter& writer, RunObserver& observer,
            const CellFallback& fallback, const std::filesystem::path& scratch,
            Duration cell_timeout)
        : plan_(plan),
          cells_(cells),
          go_on_(go_on),
          executor_(executor),
          writer_(writer),
          observer_(observer),
          fallback_(fallback),
          scratch_(scratch),
          cell_timeout_(cell_timeout) {}

    Result<RunCounts> run() {
        counts_.planned = static_cast<std::int64_t>(cells_.size());
        if (!warm_up()) {
            counts_.interrupted = true;
            return counts_;
        }
        const bool all = executor_.run_all(*this);
        // What an interrupt left behind a cell that has not ended counts as well.
        while (!broken_ && !ended_.empty()) {
            keep_next(ended_.begin()->first);
        }
        for (const PlannedCell& cell : cells_) {
            discard(cell);
        }
        if (broken_) {
            return *broken_;
        }
        counts_.interrupted = !all && !enough_;
        return counts_;
    }

    [[nodiscard]] std::size_t size() const override { return cells_.size(); }
    [[nodiscard]] CellRequest request(std::size_t index) const override {
        return request_of(cells_[index]);
    }
    void started(std::size_t index) override { observer_.cell_started(cells_[index]); }
    [[nodiscard]] bool tick() override { return observer_.tick(); }

    /// The bundle has the cells in the order of the plan, in whatever order they end.
    [[nodiscard]] bool ended(std::size_t index, Result<CellExecution> execution) override {
        ended_.emplace(index, std::move(execution));
        while (!broken_ && !enough_ && !ended_.empty() && ended_.begin()->first == next_) {
            keep_next(next_);
        }
        return !broken_ && !enough_;
    }

  private:
    bool warm_up() {
        for (const auto& cell : warmup_cells(cells_, plan_.warmups)) {
            observer_.cell_started(cell);
            const auto execution = executor_.run(request_of(cell), [this] { return tick(); });
            discard(cell);
            if (execution && execution->conduct == CellConduct::interrupted) {
                return false;
            }
        }
        return true;
    }

    void keep_next(std::size_t index) {
        const PlannedCell& cell = cells_[index];
        auto execution = std::move(ended_.extract(index).mapped());
        number_boot(execution);
        const auto kept = keep(cell, execution);
        discard(cell);
        next_ = index + 1;
        if (!kept) {
            broken_ = kept.error();
            return;
        }
        if (Status looked = look_beside(cell, *kept); !looked) {
            broken_ = looked.error();
            return;
        }
        finished(cell, *kept);
        if (go_on_ && !go_on_(counts_.finished())) {
            counts_.planned = counts_.finished();
            enough_ = true;
        }
    }

    /// Boots are counted in the order in which the bundle names them.
    void number_boot(Result<CellExecution>& execution) {
        if (execution && execution->boot) {
            const auto next = static_cast<std::int64_t>(boots_.size()) + 1;
            execution->boot = boots_.emplace(*execution->boot, next).first->second;
        }
    }

    std::filesystem::path bundle_of(const PlannedCell& cell) const {
        return scratch_ / fmt::format("cell-{}", cell.number);
    }

    CellRequest request_of(const PlannedCell& cell) const {
        CellRequest request{cell_arguments(plan_, cell), bundle_of(cell), cell_timeout_, cell.place,
                            cell.repetition};
        log_debug(fmt::format("cell {}: bench {}", cell.number, fmt::join(request.arguments, " ")));
        return request;
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
                const CellAddition addition{execution->taints, execution->details, cell.number};
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
    const std::vector<PlannedCell>& cells_;
    const GoOn& go_on_;
    Executor& executor_;
    BundleWriter& writer_;
    RunObserver& observer_;
    const CellFallback& fallback_;
    const std::filesystem::path& scratch_;
    Duration cell_timeout_;
    std::vector<SummaryRow> block_;  ///< of the repetition, and pair, under way
    RunCounts counts_;
    std::map<std::size_t, Result<CellExecution>> ended_;  ///< that the bundle does not have yet
    std::size_t next_ = 0;                                ///< the first that the bundle lacks
    std::map<std::int64_t, std::int64_t> boots_;          ///< the executor's numbers to ours
    bool enough_ = false;
    std::optional<Error> broken_;  ///< the bundle could not be written any more
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
    return PlanRun(plan, cells, go_on, executor, writer, observer, fallback, scratch, cell_timeout)
        .run();
}

}  // namespace bench
