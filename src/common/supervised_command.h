#pragma once

#include <sys/types.h>

#include "common/guardian.h"

namespace bench {

/// Forks and executes a command, in the way SupervisedCommand tells. Returns its pid once exec(2)
/// has succeeded or the body has begun; otherwise an Error whose operation is the call that failed
/// ("execute", "open", "chdir"), with the child reaped. `group`: the process group to join, 0 to
/// found one.
[[nodiscard]] Result<pid_t> start_supervised(const SupervisedCommand& command, pid_t group);

}  // namespace bench
