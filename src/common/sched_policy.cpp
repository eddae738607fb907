#include "common/sched_policy.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "common/affinity.h"
#include "common/kernel_sched_attr.h"
#include "common/syscalls.h"
#include "common/units.h"

namespace bench {

namespace {

/// As sched_getscheduler(2) mixes it into the policy.
constexpr std::uint32_t kResetOnForkBit = 0x40000000;
constexpr std::uint64_t kFlagResetOnFork = 0x01;

bool kernel_has_uclamp() {
    return SystemRoot().exists("/proc/sys/kernel/sched_util_clamp_max");
}

/// Zeroes `attr` and asks; retries in the size that an older kernel names when it says E2BIG.
bool ask_kernel(pid_t tid, KernelSchedAttr& attr) {
    std::uint32_t size = sizeof attr;
    for (int attempt = 0; attempt < 2; ++attempt) {
        attr = {};
        if (syscalls().sched_getattr(tid, &attr, size, 0) >= 0) {
            return true;
        }
        if (errno != E2BIG) {
            return false;
        }
        size = attr.size >= kSizeWithoutUtil && attr.size < size ? attr.size : kSizeWithoutUtil;
    }
    return false;
}

std::string policy_name(std::uint32_t policy) {
    static constexpr std::array<std::string_view, 8> kNames = {"other", "fifo", "rr",       "batch",
                                                               "iso",   "idle", "deadline", "ext"};
    return policy < kNames.size() ? std::string(kNames[policy]) : fmt::format("policy {}", policy);
}

std::string nanoseconds(std::uint64_t value) {
    return format_duration(Duration(static_cast<std::int64_t>(value)));
}

}  // namespace

std::string SchedAttributes::policy_text() const {
    std::string text = policy_name(policy);
    if (policy == kSchedFifo || policy == kSchedRoundRobin) {
        text += fmt::format(":{}", rt_priority);
    } else if (policy == kSchedDeadline) {
        text += fmt::format(":{}/{}/{}", nanoseconds(runtime_ns), nanoseconds(deadline_ns),
                            nanoseconds(period_ns));
    }
    return reset_on_fork ? text + "+reset-on-fork" : text;
}

Result<SchedAttributes> get_sched_attributes(pid_t tid) {
    KernelSchedAttr attr;
    if (!ask_kernel(tid, attr)) {
        return errno_error("sched_getattr", tid == 0 ? "this task" : fmt::format("task {}", tid),
                           errno == ENOSYS ? "the call came with Linux 3.14" : "");
    }
    SchedAttributes result;
    result.policy = attr.policy & ~kResetOnForkBit;
    result.reset_on_fork =
        (attr.flags & kFlagResetOnFork) != 0 || (attr.policy & kResetOnForkBit) != 0;
    result.nice = attr.nice;
    result.rt_priority = attr.priority;
    result.runtime_ns = attr.runtime;
    result.deadline_ns = attr.deadline;
    result.period_ns = attr.period;
    // Built without uclamp, a kernel that knows the fields leaves them 0 and 0.
    if (attr.size > kSizeWithoutUtil &&
        (attr.util_min != 0 || attr.util_max != 0 || kernel_has_uclamp())) {
        result.util_min = attr.util_min;
        result.util_max = attr.util_max;
    }
    return result;
}

std::uint64_t timer_slack_ns() {
    // The C library's prctl() returns an int, which a long slack overflows.
    return static_cast<std::uint64_t>(::syscall(SYS_prctl, PR_GET_TIMERSLACK, 0, 0, 0, 0));
}

Result<WorkerReadback> read_back_self() {
    const Result<SchedAttributes> sched = get_sched_attributes();
    if (!sched) {
        return sched.error();
    }
    const Result<CpuSet> cpus = get_affinity();
    if (!cpus) {
        return cpus.error();
    }
    return WorkerReadback{*sched, cpus->to_list(), timer_slack_ns()};
}

}  // namespace bench
