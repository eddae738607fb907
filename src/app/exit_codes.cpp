#include "app/exit_codes.h"

namespace bench {

int exit_code_for(const RunCounts& counts, bool strict) {
    if (counts.failed > 0) {
        return kExitFailed;
    }
    const bool nothing_ran = counts.ok + counts.tainted == 0 && counts.not_run > 0;
    if (nothing_ran || (strict && counts.not_run > 0)) {
        return kExitMissing;
    }
    return kExitOk;
}

}  // namespace bench
