#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <optional>
#include <string>

#include "common/benchmark.h"
#include "common/cpu_set.h"
#include "common/load.h"
#include "common/scheduler_switches.h"
#include "common/worker_settings.h"

namespace bench {

/// So that no sum of times a cell needs leaves 64 bits of nanoseconds.
constexpr Duration kLongestCell = std::chrono::hours(24 * 365);

/// What describes one cell for every test: the options of `bench exec` beside the test's own.
struct CellOptions {
    CellPlan plan{.clients = 1, .duration = std::chrono::seconds(30), .seed = 1};
    std::optional<CpuSet> cpus;  ///< absent: whatever this process may use
    bool pin = false;            ///< each worker on one of them, round robin
    WorkerSettings settings;     ///< but for pin_to, which `pin` fills once the CPUs are known
    SwitchOptions switches;
    LoadOptions load;
    std::string scheduler;  ///< overrides the detected name; empty: detected
    std::int64_t cell = 1;  ///< its number in the bundle that will take it over
    /// What an executor asked for beside these options (time=virtual): for the variant column.
    std::vector<std::pair<std::string, std::string>> place_variant = {};
    bool pause = false;  ///< see common/guest_pause.h
    std::filesystem::path bundle;
};

/// Options that are the same in `bench exec TEST` and `bench TEST`, and that a sweep hands on to
/// its cells as they are.
void add_shared_cell_options(CLI::App& app, CellOptions& options);

/// Options of `bench exec TEST` alone, where a sweep has an axis or a number of its own.
void add_exec_options(CLI::App& app, CellOptions& options, const Benchmark& benchmark);

/// Reads one value of --cpus; throws CLI::ValidationError.
[[nodiscard]] CpuSet parse_cpus_option(const std::string& text);
/// Reads one value of --load; throws CLI::ValidationError.
[[nodiscard]] LoadSpec parse_load_option(const std::string& text);

/// --load-count and --load-session without any load are refused: an Error with object = the option.
[[nodiscard]] Status check_load_options(const LoadOptions& load, bool any_load);

/// The variant column: everything asked that makes cells differ and has no column of its own.
/// `cpus` is the set as read back, or as asked when the cell did not come so far.
[[nodiscard]] std::string cell_variant(const CellOptions& options, const Benchmark& benchmark);

}  // namespace bench
