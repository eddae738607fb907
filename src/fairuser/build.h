#pragma once

#include "common/guardian.h"
#include "common/stop_source.h"
#include "fairuser/options.h"
#include "fairuser/work_folders.h"
#include "fairuser/workload.h"

namespace bench::fairuser {

/// Whether a build can be had: make and a compiler, with --source also what a kernel build needs,
/// and a Linux tree that has not been built in itself. An Error names what is missing.
[[nodiscard]] Status check_build(const Options& options);

/// Fills `folder` for one build: writes the generated tree, or configures the Linux tree out of
/// tree, as `identity`. To be done before the clock runs. An Error holds the end of the output of a
/// configuration that failed; a signal of `stop` is an Error too.
[[nodiscard]] Status prepare_build(const Options& options, const WorkFolder& folder,
                                   const std::optional<UserIdentity>& identity,
                                   const Guardian& run_folder, StopSource& stop);

/// make with the user's jobs on what prepare_build() left.
[[nodiscard]] Workload build_workload(const Options& options, const UserSpec& user,
                                      const WorkFolder& folder);

/// Changes to the environment (as SupervisedCommand has them) by which nothing of the caller's
/// build, and no compiler cache, changes a user's.
[[nodiscard]] std::vector<std::string> build_environment(const WorkFolder& folder);

}  // namespace bench::fairuser
