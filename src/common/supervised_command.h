#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include "common/guardian.h"

namespace bench {

/// Where a command is put by the guardian.
struct CommandPlace {
    pid_t group = 0;  ///< the process group to join; 0 to found one
    int output = -1;  ///< becomes stdout and stderr; -1: inherited
    rlimit files{};   ///< its RLIMIT_NOFILE
};

/// Forks and executes a command, in the way SupervisedCommand tells. Returns its pid once exec(2)
/// has succeeded or the body has begun; otherwise an Error whose operation is the call that failed
/// ("execute", "open", "chdir"), with the child reaped.
[[nodiscard]] Result<pid_t> start_supervised(const SupervisedCommand& command,
                                             const CommandPlace& place);

}  // namespace bench
