#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace bench {

struct ProcessEntry {
    pid_t pid = 0;
    pid_t parent = 0;
    char state = '?';  ///< as in /proc/PID/stat
    std::string name;
};

/// Every process that descends from `root`, without it. Looks at all of /proc: children files need
/// CONFIG_PROC_CHILDREN, and miss forks as well.
[[nodiscard]] std::vector<ProcessEntry> list_descendants(pid_t root);

/// Kills and reaps every descendant of this process, which must be a child subreaper with SIGCHLD
/// blocked. They are stopped before they are killed, lest they fork faster than we look. Guardians
/// among them get ten seconds to end by themselves once what they served is dead: they may have a
/// scheduler to take out of a busy kernel. `reaped` hears of
/// each child.
void kill_descendants(const std::function<void(pid_t pid, int wait_status)>& reaped);

}  // namespace bench
