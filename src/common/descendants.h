#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <functional>
#include <vector>

#include "common/process_stat.h"

namespace bench {

/// Every process that descends from `root`, without it. Looks at all of /proc: children files need
/// CONFIG_PROC_CHILDREN, and miss forks as well.
[[nodiscard]] std::vector<ProcessEntry> list_descendants(pid_t root);

using ReapedChild = std::function<void(pid_t pid, int wait_status, const rusage& used)>;

/// Reaps what has ended; false when there are no children any more.
bool reap_children(const ReapedChild& reaped);

/// Kills and reaps every descendant of this process, which must be a child subreaper with SIGCHLD
/// blocked. They are stopped before they are killed, lest they fork faster than we look. Guardians
/// among them get ten seconds to end by themselves once what they served is dead: they may have a
/// scheduler to take out of a busy kernel. `reaped` hears of each child, with what it and the
/// children it had waited for have used.
void kill_descendants(const ReapedChild& reaped);

}  // namespace bench
