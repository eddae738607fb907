#include <cstdint>

#include "common/affinity.h"
#include "common/guest_pause.h"
#include "common/load_supervised.h"
#include "common/process_group.h"

namespace bench {
namespace {

/// Never sleeps, never calls the kernel, touches no memory.
[[noreturn]] int spin() {
    volatile std::uint32_t turn = 0;
    while (true) {
        turn = turn + 1;
        if (turn % kTurnsBetweenPauses == 0) {
            cpu_pause();
        }
    }
}

}  // namespace

Result<LoadPlan> plan_spin(const LoadOptions& options, const SystemRoot& system) {
    std::int64_t processes = options.spec.amount.value_or(0);
    if (processes == 0) {
        const Result<CpuSet> allowed = get_affinity();
        if (!allowed) {
            return allowed.error();
        }
        processes = static_cast<std::int64_t>(allowed->size());
    }
    const auto per_copy = static_cast<std::size_t>(processes);
    const std::size_t all = per_copy * static_cast<std::size_t>(options.copies);
    if (const Status reserved = reserve_for_workers({all, WorkerKind::process, 0}, system);
        !reserved) {
        return reserved.error();
    }
    LoadPlan plan;
    plan.commands_per_copy = per_copy;
    for (std::size_t index = 0; index < all; ++index) {
        SupervisedCommand command;
        command.body = spin;
        if (index % per_copy != 0) {
            command.group_of = index - index % per_copy;
        }
        plan.commands.push_back(std::move(command));
    }
    return plan;
}

}  // namespace bench
