#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/sysfs.h"

namespace bench {

/// One bound on the number of tasks, and how far it is used up. Processes and threads count alike.
struct TaskLimit {
    std::string name;   ///< "pids.max", "RLIMIT_NPROC", "kernel.threads-max", "kernel.pid_max"
    std::string where;  ///< the cgroup's folder; empty for the others
    std::uint64_t allowed = 0;
    std::uint64_t used = 0;

    [[nodiscard]] std::uint64_t room() const { return allowed > used ? allowed - used : 0; }
};

/// All the bounds this process stands under, as far as they can be read: pids.max of its cgroup and
/// of every one above it (v1 and v2), RLIMIT_NPROC (only where it counts: neither root nor
/// CAP_SYS_RESOURCE), kernel.threads-max, kernel.pid_max.
[[nodiscard]] std::vector<TaskLimit> task_limits(const SystemRoot& system);

/// The bound with the least room, if it has less than `wanted`.
[[nodiscard]] std::optional<TaskLimit> exhausted_limit(const SystemRoot& system,
                                                       std::uint64_t wanted);

/// "pids.max 20 of /sys/fs/cgroup/pids/x", "RLIMIT_NPROC 100".
[[nodiscard]] std::string limit_text(const TaskLimit& limit);

}  // namespace bench
