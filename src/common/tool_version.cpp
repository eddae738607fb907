// Alone in its file: the revision changes with every commit, and nothing else shall be compiled
// anew for it.
#include "common/tool_version.h"

#include <bench_revision.h>

namespace bench {

const ToolVersion& tool_version() {
    static constexpr ToolVersion kVersion{BENCH_VERSION, BENCH_REVISION, BENCH_COMPILER,
                                          BENCH_BUILD_TYPE};
    return kVersion;
}

}  // namespace bench
