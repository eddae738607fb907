#pragma once

#include "runner/runner.h"

namespace bench {

/// The same everywhere. Stopped by a signal: 128 + its number.
enum ExitCode : int {
    kExitOk = 0,  ///< done, or no regression
    kExitRegression = 1,
    kExitUsage = 2,
    kExitInconclusive = 3,
    kExitNotComparable = 4,
    kExitMissing =
        5,  ///< a requirement is missing and nothing could run, or rows are not-run under --strict
    kExitFailed = 6,  ///< a row failed, or the run is incomplete
};

/// 0, 5 (nothing could run, or some not-run under `strict`) or 6 (a row failed).
[[nodiscard]] int exit_code_for(const RunCounts& counts, bool strict);

}  // namespace bench
