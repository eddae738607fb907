#include "common/guest_pause.h"
#include "fairuser/workload.h"

namespace bench::fairuser {
namespace {

/// Never sleeps, never calls the kernel.
[[noreturn]] void spin(JobSlot& slot) {
    constexpr std::uint32_t kTurnsBetweenLooks = 1024;
    std::uint64_t done = 0;
    volatile std::uint32_t turn = 0;
    while (true) {
        for (std::uint32_t i = 0; i < kTurnsBetweenLooks; ++i) {
            turn = turn + 1;
        }
        if (workloads_pause) {
            cpu_pause();
        }
        slot.work.store(++done, std::memory_order_relaxed);
    }
}

}  // namespace

Workload spin_workload(const UserSpec& user) {
    Workload workload;
    workload.waiting = static_cast<std::uint32_t>(user.jobs);
    workload.job_slots = static_cast<std::size_t>(user.jobs);
    workload.tasks = static_cast<std::uint64_t>(user.jobs);
    workload.body = [](const UserRun& run) {
        for (std::int64_t job = 0; job < run.user.jobs; ++job) {
            const pid_t child = start_child(run, [&]() -> int {
                run.wait_for_start();
                spin(run.job(static_cast<std::size_t>(job)));
            });
            if (child < 0) {
                return EXIT_FAILURE;
            }
        }
        return wait_for_children();
    };
    return workload;
}

}  // namespace bench::fairuser
