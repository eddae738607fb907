#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "common/sysfs.h"

namespace bench {

/// Whether a session per user would be a group per user: the kernel has autogroups, they are on,
/// and this process is in the root cpu cgroup, where alone they act. An Error (not_started) says
/// which is missing.
[[nodiscard]] Status check_autogroup_usable(const SystemRoot& system);

/// The number in "/autogroup-25 nice 0" of a process: the same for all of a session. nullopt: none,
/// or not readable. A process has one also where autogroups do not act.
[[nodiscard]] std::optional<std::uint64_t> autogroup_id(const SystemRoot& system, pid_t pid);

}  // namespace bench
