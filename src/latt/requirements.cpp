#include "latt/requirements.h"

#include <fmt/format.h>

#include "common/available_memory.h"
#include "common/process_group.h"
#include "latt/recording.h"
#include "latt/wake_channel.h"
#include "latt/workload.h"

namespace bench::latt {

Status check_memory(const Options& options, std::uint64_t clients, const SystemRoot& system) {
    return check_available_memory(clients * (work_memory(options.work.bytes) + sizeof(ClientSlot)),
                                  fmt::format("for {} clients", clients),
                                  "fewer --clients or a smaller --work need less", system);
}

Status check_requirements(const Options& options, std::uint64_t clients, const SystemRoot& system) {
    const WorkerNeeds needs{
        .workers = clients,
        .kind = options.threads ? WorkerKind::thread : WorkerKind::process,
        .parent_fds = WakeChannel::parent_fds(options.wake, clients),
    };
    if (Status reserved = reserve_for_workers(needs, system); !reserved) {
        return reserved;
    }
    return check_memory(options, clients, system);
}

}  // namespace bench::latt
