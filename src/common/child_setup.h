#pragma once

#include <sys/types.h>

#include <span>
#include <vector>

#include "common/result.h"

/// What a freshly forked child does to stand on its own. None of it writes to stdio.
namespace bench {

/// Has the kernel kill this process when the thread that forked it ends; ends at once when that had
/// already happened. `parent` is the pid before the fork.
void die_with_parent(pid_t parent);

/// Gives SIGINT and SIGTERM their defaults, ignores SIGPIPE and lets through what StopSource had
/// blocked. Everything else stays.
void set_worker_signals();

/// All signals at their defaults and none blocked, as a program expects to be started.
void set_program_signals();

/// Closes every descriptor above 2 that is not in `keep` (any order). With close_range(2), or one
/// by one where the kernel lacks it (before 5.9). An Error when the open ones can't be listed.
[[nodiscard]] Status close_fds_except(std::vector<int> keep);

/// The way without close_range(2). `keep` is sorted.
[[nodiscard]] Status close_listed_fds_except(std::span<const int> keep);

}  // namespace bench
