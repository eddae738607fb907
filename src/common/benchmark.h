#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/bundle.h"
#include "common/metric.h"
#include "common/result.h"
#include "common/sched_policy.h"
#include "common/stop_source.h"
#include "common/sysfs.h"
#include "common/worker_settings.h"

namespace bench {

/// What every test is told about the cell it shall run.
struct CellPlan {
    std::int64_t clients = 1;  ///< >= 1
    Duration duration{};       ///< > 0
    std::uint64_t seed = 1;
};

/// What a test finds around it while it runs.
struct CellContext {
    CellPlan plan;
    const SystemRoot& system;
    StopSource& stop;         ///< deadline and load already set
    WorkerSettings settings;  ///< for WorkerGroup::Options, of every worker that is measured
};

/// What a test gives back. Nothing measured is dropped: a doubt is a taint, not a removal.
struct CellOutcome {
    std::vector<Series> series;
    std::vector<std::string> taints;
    std::vector<std::string> notes;
    std::vector<WorkerReadback> workers;  ///< one per worker, in order
    Json details;  ///< what belongs in run.json and nowhere else; may be null
    std::vector<ReadySummary> summaries = {};  ///< figures without samples; none when it ran here
};

/// How several values of an axis are given.
enum class AxisList {
    repeat,  ///< free text: only by repeating the option
    comma,   ///< a closed vocabulary: also as a comma list
    flag,    ///< like comma, and the option alone means "on"
};

/// An option of a test that may vary over the cells of a sweep.
struct BenchmarkAxis {
    std::string option;  ///< "--group"
    std::string type;    ///< for --help
    std::string help;
    AxisList list = AxisList::comma;
    /// Reads one value into the test's options and gives back its plain spelling, by which two
    /// values are told to be the same; throws CLI::ValidationError. A cell's value is the last one.
    std::function<std::string(const std::string&)> apply;
};

/// What a classic program's output told.
struct ImportedCell {
    std::int64_t clients = 1;
    CellOutcome outcome;
    /// As Benchmark::variant(), as far as the output tells the options.
    std::vector<std::pair<std::string, std::string>> variant = {};
};

/// A test: options, metrics, what it needs, and a cell's run. Lives as long as the command. A new
/// one is a folder under src/ with `std::unique_ptr<Benchmark> make_benchmark()` in the namespace
/// bench::FOLDER, and one word in CMakeLists.txt.
class Benchmark {
  public:
    Benchmark() = default;
    virtual ~Benchmark() = default;
    Benchmark(const Benchmark&) = delete;
    Benchmark& operator=(const Benchmark&) = delete;

    [[nodiscard]] virtual std::string_view name() const = 0;  ///< the subcommand: "massive-intr"
    [[nodiscard]] virtual std::string_view summary()
        const = 0;  ///< one line for help and `bench list`

    /// Adds the test's own options (common/options.h), bound to members of this object.
    virtual void add_options(CLI::App& app) = 0;
    /// Options of its own that may have several values in a sweep; not in add_options().
    [[nodiscard]] virtual std::vector<BenchmarkAxis> axes() { return {}; }
    /// Whether --clients means anything; without, the clients column is empty.
    [[nodiscard]] virtual bool has_clients() const { return true; }
    /// Options that can't hold together: an Error (code 0) with object = the option. Called after
    /// parsing, for every combination of the axes' values.
    [[nodiscard]] virtual Status check_options() const { return {}; }
    /// The same for the options that every test has, where they don't suit this one.
    [[nodiscard]] virtual Status check_settings(const WorkerSettings& /*settings*/,
                                                bool /*pin*/) const {
        return {};
    }
    /// Whether a cell lasts --duration; otherwise its work has an end of its own.
    [[nodiscard]] virtual bool has_duration() const { return true; }
    /// The options that make a cell another one and differ from their defaults, as `key, value`.
    [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> variant() const = 0;

    [[nodiscard]] virtual std::vector<Metric> metrics() const = 0;
    [[nodiscard]] virtual std::vector<TableColumn> table() const = 0;

    /// Asks whether this machine can run the cell, before anything starts: an Error is a not-run
    /// row's reason (detail: which limit, needed, allowed, cure).
    [[nodiscard]] virtual Status check_requirements(const CellPlan& plan,
                                                    const SystemRoot& system) const = 0;
    /// What must be ready before the load starts and the clock runs (a calibration, a source tree).
    /// An Error is a not-run row's reason. Stops early when `stop` has a signal.
    [[nodiscard]] virtual Status prepare(const CellPlan& /*plan*/, const SystemRoot& /*system*/,
                                         StopSource& /*stop*/) {
        return {};
    }
    /// Runs one cell in this process. An Error makes the row failed, or not-run when the workers
    /// could not be started (Error::not_started); a signal (context.stop) too.
    [[nodiscard]] virtual Result<CellOutcome> run(const CellContext& context) = 0;

    /// What cells show only beside others of their block, which is a repetition of the sweep: asked
    /// after each cell, with the rows of those that there are, in the order they ran. Rows without
    /// figures may be given some.
    [[nodiscard]] virtual std::vector<LateFigures> beside(
        const std::vector<SummaryRow>& /*block*/) const {
        return {};
    }

    /// The name of the link through which the command answers as the classic program; empty: none.
    [[nodiscard]] virtual std::string_view classic_name() const { return {}; }
    /// The classic program's main; its return value is the exit status.
    [[nodiscard]] virtual int classic_main(int /*argc*/, char** /*argv*/) { return 2; }

    /// Whether import_classic() can read anything.
    [[nodiscard]] virtual bool can_import() const { return false; }
    /// Reads what the classic program printed in one run. An Error's object is the line: "line 3".
    [[nodiscard]] virtual Result<ImportedCell> import_classic(std::string_view /*text*/) const {
        return plain_error("import", std::string(name()), "it has no classic output");
    }
};

}  // namespace bench
