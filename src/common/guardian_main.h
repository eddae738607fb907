#pragma once

#include "common/guardian.h"

namespace bench {

/// Writes `file` back; tries again for a while what may pass (EBUSY, EAGAIN).
[[nodiscard]] Status restore_file(const FileContent& file);

/// The life of a guardian, in the process forked for it. `link`: its end of the link to the owner.
[[noreturn]] void run_guardian(const Guardian::Options& options, int link);

}  // namespace bench
