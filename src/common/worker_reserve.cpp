#include <fmt/format.h>
#include <sys/resource.h>

#include "common/process_group.h"
#include "common/worker_limits.h"

namespace bench {
namespace {

/// Beyond what is counted: files opened and closed while the workers start and are watched.
constexpr std::uint64_t kSpareFds = 16;

std::string workers_text(const WorkerNeeds& needs) {
    return fmt::format("{} {}", needs.workers,
                       needs.kind == WorkerKind::process ? "processes" : "threads");
}

Status reserve_fds(const WorkerNeeds& needs, const SystemRoot& system) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return errno_error("getrlimit", "RLIMIT_NOFILE");
    }
    const std::uint64_t open = system.list("/proc/self/fd").size();
    const std::uint64_t needed = open + needs.parent_fds + kSpareFds;
    if (limit.rlim_cur == RLIM_INFINITY || needed <= limit.rlim_cur) {
        return {};
    }
    if (limit.rlim_max != RLIM_INFINITY && needed > limit.rlim_max) {
        // Root could raise the hard limit too; who set it meant it.
        return plain_error(
            "start", workers_text(needs),
            fmt::format("{} file descriptors needed, {} allowed by RLIMIT_NOFILE (hard); raise it "
                        "with ulimit -Hn {} or take fewer",
                        needed, limit.rlim_max, needed));
    }
    limit.rlim_cur = needed;
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return errno_error("setrlimit", fmt::format("RLIMIT_NOFILE {}", needed));
    }
    return {};
}

}  // namespace

Status reserve_for_workers(const WorkerNeeds& needs, const SystemRoot& system) {
    if (system.is_host()) {
        if (Status fds = reserve_fds(needs, system); !fds) {
            return fds;
        }
    }
    if (const auto limit = exhausted_limit(system, needs.workers)) {
        return plain_error("start", workers_text(needs),
                           fmt::format("{} needed, {} allowed: {}, {} in use", needs.workers,
                                       limit->room(), limit_text(*limit), limit->used));
    }
    return {};
}

}  // namespace bench
