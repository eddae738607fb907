#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/result.h"
#include "common/sched_policy.h"
#include "common/sysfs.h"

namespace bench::fairuser {

/// Sets and reads back the nice value (-20..19) of a process; `user` is for the Error.
[[nodiscard]] Status set_nice(pid_t pid, int nice, const std::string& user);

/// What a process of another user runs under.
[[nodiscard]] Result<WorkerReadback> read_back_process(pid_t pid, const SystemRoot& system);

/// An Error unless each has an autogroup of its own.
[[nodiscard]] Status check_distinct(const std::vector<std::optional<std::uint64_t>>& autogroups);

}  // namespace bench::fairuser
