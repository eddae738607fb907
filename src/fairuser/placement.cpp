#include "fairuser/placement.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <set>

#include "common/affinity.h"

namespace bench::fairuser {

Status set_nice(pid_t pid, int nice, const std::string& user) {
    const auto who = static_cast<id_t>(pid);
    if (::setpriority(PRIO_PROCESS, who, nice) != 0) {
        return errno_error("setpriority", "user " + user, fmt::format("nice {}", nice));
    }
    errno = 0;  // -1 may be the answer
    if (const int now = ::getpriority(PRIO_PROCESS, who); now != nice) {
        return plain_error("setpriority", "user " + user,
                           fmt::format("nice is {} instead of {}", now, nice));
    }
    return {};
}

Result<WorkerReadback> read_back_process(pid_t pid, const SystemRoot& system) {
    WorkerReadback readback;
    const auto sched = get_sched_attributes(pid);
    if (!sched) {
        return sched.error();
    }
    readback.sched = *sched;
    const auto cpus = get_affinity(pid);
    if (!cpus) {
        return cpus.error();
    }
    readback.cpus_allowed = cpus->to_list();
    if (const auto slack = system.read_integer(fmt::format("/proc/{}/timerslack_ns", pid))) {
        readback.timer_slack_ns = static_cast<std::uint64_t>(*slack);
    }
    return readback;
}

Status check_distinct(const std::vector<std::optional<std::uint64_t>>& autogroups) {
    std::set<std::uint64_t> seen;
    for (const auto& id : autogroups) {
        if (!id) {
            return plain_error("check", "autogroup", "the kernel tells none of a user's process");
        }
        if (!seen.insert(*id).second) {
            return plain_error("check", "autogroup", "two users are in one");
        }
    }
    return {};
}

}  // namespace bench::fairuser
