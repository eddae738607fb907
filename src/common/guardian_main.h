#pragma once

#include "common/guardian.h"

namespace bench {

/// The life of a guardian, in the process forked for it. `link`: its end of the link to the owner.
[[noreturn]] void run_guardian(const Guardian::Options& options, int link);

}  // namespace bench
