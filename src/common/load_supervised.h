#pragma once

#include <functional>

#include "common/guardian.h"
#include "common/load.h"

namespace bench {

/// What a load runs, put together before the clock starts.
struct LoadPlan {
    std::vector<SupervisedCommand> commands;  ///< those of copy 0, then of copy 1, ...
    std::size_t commands_per_copy = 1;
    std::vector<Fd> fds;             ///< passed on by keep_fds; closed here once all run
    std::optional<Guardian> folder;  ///< holds the temporary folder; its scratch() is the folder
    bool own_session = false;        ///< of the load as a whole
    Duration grace{};  ///< between SIGTERM and SIGKILL when it is stopped; 0: SIGKILL at once
    std::vector<Metric> metrics;
    /// Called after the end: fills the series, may add taints.
    std::function<void(LoadOutcome&)> measure;
};

/// A load made of commands under a guardian.
[[nodiscard]] std::unique_ptr<Load> make_supervised_load(LoadPlan plan);

/// A guardian with a fresh folder bench-load-XXXXXX in $TMPDIR or /tmp.
[[nodiscard]] Result<Guardian> make_load_folder();

[[nodiscard]] Result<LoadPlan> plan_spin(const LoadOptions& options, const SystemRoot& system);
[[nodiscard]] Result<LoadPlan> plan_pipe(const LoadOptions& options, const SystemRoot& system);
[[nodiscard]] Result<LoadPlan> plan_compile(const LoadOptions& options);
[[nodiscard]] Result<LoadPlan> plan_video(const LoadOptions& options);
[[nodiscard]] Result<LoadPlan> plan_command(const LoadOptions& options);

}  // namespace bench
