#pragma once

#include "common/worker_settings.h"
#include "fairuser/workload.h"

namespace bench::fairuser {

/// The first of a user's processes, in the child forked for it, already in the user's groups and
/// under its uid: waits until it has been placed, takes the settings on, runs the workload. Its
/// exit status is the work's.
[[nodiscard]] int run_leader(const UserRun& run, const Workload& workload,
                             const WorkerSettings& settings);

}  // namespace bench::fairuser
