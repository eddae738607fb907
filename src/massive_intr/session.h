#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "common/process_group.h"
#include "common/stop_source.h"
#include "common/sysfs.h"
#include "common/worker_settings.h"

namespace bench::massive_intr {

/// What `bench massive-intr` and the classic program run.
struct SessionPlan {
    std::uint32_t processes = 1;
    Duration duration{};  ///< from the common start, > 0
    Duration work{};      ///< nominal length of one piece of work: for room and patience
    Duration sleep{};
    std::uint64_t loops = 1;  ///< of one piece of work
    WorkerSettings settings{};
};

/// What became of one process.
struct ProcessRecord {
    pid_t pid = 0;
    std::uint64_t loops = 0;
    Duration elapsed{};       ///< from the common start to its own end
    std::uint32_t place = 0;  ///< in order of finish, from 0
    std::vector<std::int64_t> oversleep_ns;
    std::uint64_t unsampled = 0;  ///< sleeps that found no room in oversleep_ns
    WorkerAccounting accounting;
    WorkerReadback readback;
};

/// By index.
using Recording = std::vector<ProcessRecord>;

/// Starts the processes, lets them go together and waits until each has stopped by its own clock;
/// a load that ends meanwhile changes nothing. Errors: they could not be started (not_started),
/// one died, `stop` took a signal, or one is still at work long after the end. None is left after
/// any of them. Sets the deadline of `stop` anew.
[[nodiscard]] Result<Recording> run_session(const SessionPlan& plan, StopSource& stop,
                                            const SystemRoot& system);

/// Bytes of shared memory that a session needs.
[[nodiscard]] std::uint64_t session_memory(const SessionPlan& plan);

}  // namespace bench::massive_intr
