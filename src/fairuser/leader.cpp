#include "fairuser/leader.h"

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

namespace bench::fairuser {

int run_leader(const UserRun& run, const Workload& workload, const WorkerSettings& settings) {
    // Told to stop, it stays to reap its children, which do not ignore that.
    ::signal(SIGTERM, SIG_IGN);
    constexpr mode_t kUsual = 022;
    ::umask(kUsual);
    UserSlot& slot = run.slot();
    while (slot.placed.load(std::memory_order_acquire) == 0) {
        futex_wait(slot.placed, 0);
    }
    if (const Status set = apply_settings(settings, 0); !set) {
        slot.fail(set.error().message());
        return EXIT_FAILURE;
    }
    return workload.body(run);
}

}  // namespace bench::fairuser
