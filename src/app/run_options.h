#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/bundle.h"
#include "common/result.h"
#include "common/units.h"
#include "runner/cell_axes.h"

namespace bench {

/// What every command that measures here is asked for, whatever its cells are.
struct RunOptions {
    std::string clients = "1";
    std::int64_t warmups = 0;
    std::optional<std::int64_t> seed;
    std::optional<Duration> cell_timeout;
    std::filesystem::path out = "results";
    std::string label;
    bool quiet = false, verbose = false;
};

/// Bad values throw CLI::ValidationError. `options` must outlive the parsing.
void add_run_options(CLI::App& app, RunOptions& options, bool has_clients);

/// Those of them that say how a run is given up, kept and told of: --cell-timeout, --out, --label,
/// --quiet, --verbose.
void add_place_options(CLI::App& app, RunOptions& options);

/// The numbers of clients; empty for a test without any. `cpu_sets` are the values of --cpus, for
/// `auto`. An Error has object = --clients.
[[nodiscard]] Result<std::vector<std::int64_t>> client_counts(
    const RunOptions& options, bool has_clients, const std::vector<std::string>& cpu_sets);

/// The seed asked for, or one drawn now; 63 bits.
[[nodiscard]] std::uint64_t seed_of(const RunOptions& options);
/// How long a cell of that duration may take before it is given up.
[[nodiscard]] Duration timeout_of(const RunOptions& options, Duration cell);
/// run.json's head: tool, command, time, plan and label.
[[nodiscard]] Json run_header(const RunOptions& options, const std::vector<std::string>& command,
                              Json plan);

/// The options that were given as words that a cell's command line takes: one for each value.
[[nodiscard]] std::vector<std::string> given_words(const std::vector<const CLI::Option*>& options);

}  // namespace bench
