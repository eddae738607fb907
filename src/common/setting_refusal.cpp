// Why the kernel refused a setting. The causes hide behind the same few errno values; each is
// looked for where it would show.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <limits>

#include "common/affinity.h"
#include "common/cgroup_location.h"
#include "common/deadline_admission.h"
#include "common/environment_text.h"
#include "common/kernel_config.h"
#include "common/worker_settings.h"

namespace bench {
namespace {

using environment::value_of;
using environment::words;

constexpr unsigned kCapSysNice = 23;
constexpr const char* kNeedsNice = "CAP_SYS_NICE is missing";

/// Whether CapEff holds CAP_SYS_NICE; nullopt: can't be read.
std::optional<bool> has_sys_nice(const SystemRoot& system) {
    const auto status = system.read("/proc/self/status");
    const auto hex = status ? value_of(*status, "CapEff") : std::nullopt;
    std::uint64_t bits = 0;
    if (!hex ||
        std::from_chars(hex->data(), hex->data() + hex->size(), bits, 16).ec != std::errc()) {
        return std::nullopt;
    }
    return (bits >> kCapSysNice & 1U) != 0;
}

/// Capabilities of a user namespace of one's own don't count for scheduling.
bool in_first_user_namespace(const SystemRoot& system) {
    const auto map = system.read_trimmed("/proc/self/uid_map");
    if (!map) {
        return true;
    }
    const auto parts = words(*map);
    return parts.size() == 3 && parts[0] == "0" && parts[1] == "0" && parts[2] == "4294967295";
}

/// The soft limit of a line of /proc/self/limits; "unlimited" is the largest number.
std::optional<std::uint64_t> soft_limit(const SystemRoot& system, std::string_view name) {
    const auto text = system.read("/proc/self/limits");
    if (!text) {
        return std::nullopt;
    }
    for (const std::string_view line : environment::lines(*text)) {
        if (!line.starts_with(name)) {
            continue;
        }
        const auto values = words(line.substr(name.size()));
        if (!values.empty() && values[0] == "unlimited") {
            return std::numeric_limits<std::uint64_t>::max();
        }
        const auto number = values.empty() ? std::nullopt : environment::whole_number(values[0]);
        return number && *number >= 0 ? std::optional(static_cast<std::uint64_t>(*number))
                                      : std::nullopt;
    }
    return std::nullopt;
}

/// "CAP_SYS_NICE is missing", or that it doesn't count here; nullopt: it is there.
std::optional<std::string> missing_right(const SystemRoot& system) {
    if (has_sys_nice(system) == false) {
        return kNeedsNice;
    }
    if (!in_first_user_namespace(system)) {
        return "CAP_SYS_NICE of a user namespace (a rootless container) does not count";
    }
    return std::nullopt;
}

std::string uname_release(const SystemRoot& system) {
    return system.read_trimmed("/proc/sys/kernel/osrelease").value_or("");
}

/// A cpu cgroup without real-time budget; nullopt: it is not that.
std::optional<std::string> missing_rt_budget(const SystemRoot& system) {
    const auto group = find_cgroup(system, "cpu");
    if (!group || group->path == "/") {
        return std::nullopt;
    }
    if (!group->v2) {
        if (!group->folder) {
            return std::nullopt;
        }
        const auto budget = system.read_integer(*group->folder + "/cpu.rt_runtime_us");
        if (budget != 0) {
            return std::nullopt;
        }
        return fmt::format(
            "CAP_SYS_NICE is there, but the real-time budget of the cpu cgroup {} is 0 "
            "(cpu.rt_runtime_us, CONFIG_RT_GROUP_SCHED): give it one, or run in the root group",
            group->path);
    }
    const auto config = read_kernel_config(system, uname_release(system));
    if (!config || !config->is_set("CONFIG_RT_GROUP_SCHED")) {
        return std::nullopt;
    }
    return fmt::format(
        "CAP_SYS_NICE is there, but the cpu cgroup {} can have no real-time budget "
        "(CONFIG_RT_GROUP_SCHED with cgroup v2): run in the root group",
        group->path);
}

std::string other_cause(const SystemRoot& system) {
    const auto status = system.read("/proc/self/status");
    const auto seccomp = status ? value_of(*status, "Seccomp") : std::nullopt;
    if (seccomp && *seccomp != "0") {
        return "a seccomp filter is in force, as in many containers, and may be what refuses it";
    }
    return "neither limits, capability nor cgroup explain it; perhaps a security module";
}

std::string realtime_cause(const PolicyRequest& policy, const SystemRoot& system) {
    if (const auto right = missing_right(system)) {
        const auto limit = soft_limit(system, "Max realtime priority");
        const std::string allowed =
            !limit ? "RLIMIT_RTPRIO is not known"
            : *limit == 0
                ? "RLIMIT_RTPRIO is 0, no real-time priority is allowed"
                : fmt::format("RLIMIT_RTPRIO is {}, priorities 1..{} are allowed", *limit, *limit);
        if (limit && *limit >= policy.rt_priority) {
            if (auto budget = missing_rt_budget(system)) {
                return fmt::format(
                    "RLIMIT_RTPRIO {} allows it; the cpu cgroup has no real-time "
                    "budget (CONFIG_RT_GROUP_SCHED)",
                    *limit);
            }
            return fmt::format("{}; {}", allowed, other_cause(system));
        }
        return fmt::format("{}, and {}: raise the limit (ulimit -r) or run as root", *right,
                           allowed);
    }
    if (auto budget = missing_rt_budget(system)) {
        return *budget;
    }
    return other_cause(system);
}

/// The CPUs the workers were let run on, when they are fewer than the machine's.
std::optional<std::string> narrow_affinity(const WorkerSettings& settings,
                                           const SystemRoot& system) {
    const auto online = online_cpus(system);
    if (!online) {
        return std::nullopt;
    }
    if (!settings.pin_to.empty() && online->size() > 1) {
        return fmt::format("each worker is pinned to one CPU, the root domain has CPUs {}",
                           online->to_list());
    }
    const auto mine = get_affinity();
    if (mine && !mine->contains_all(*online)) {
        return fmt::format("the affinity {} is smaller than the root domain {}", mine->to_list(),
                           online->to_list());
    }
    return std::nullopt;
}

std::string deadline_cause(const WorkerSettings& settings, const SystemRoot& system) {
    if (const auto right = missing_right(system)) {
        return *right + ", and no limit stands in for it under deadline: run as root";
    }
    if (const auto narrow = narrow_affinity(settings, system)) {
        return "deadline tasks must be allowed on all CPUs of their root domain: " + *narrow;
    }
    if (system.read_integer("/proc/sys/kernel/sched_rt_runtime_us") == 0) {
        return "kernel.sched_rt_runtime_us is 0: no deadline task is let in";
    }
    return other_cause(system);
}

std::string nice_cause(int nice, const SystemRoot& system) {
    const auto right = missing_right(system);
    if (!right) {
        return other_cause(system);
    }
    const auto limit = soft_limit(system, "Max nice priority");
    if (!limit) {
        return *right + ": run as root";
    }
    const auto lowest = 20 - static_cast<std::int64_t>(std::min<std::uint64_t>(*limit, 40));
    return fmt::format(
        "{}, and RLIMIT_NICE is {}{}: raise the limit (ulimit -e) or run as root; asked was {}",
        *right, *limit,
        *limit == 0 ? ", nice can't be lowered"
                    : fmt::format(", the lowest nice allowed is {}", lowest),
        nice);
}

std::string eperm_cause(const WorkerSettings& settings, const SystemRoot& system) {
    if (settings.policy && settings.policy->realtime()) {
        return realtime_cause(*settings.policy, system);
    }
    if (settings.policy && settings.policy->is_deadline()) {
        return deadline_cause(settings, system);
    }
    if (settings.nice) {
        return nice_cause(*settings.nice, system);
    }
    if (const auto right = missing_right(system)) {
        return *right + ": run as root";
    }
    return other_cause(system);
}

std::string deadline_bounds(const SystemRoot& system) {
    const auto min = system.read_integer("/proc/sys/kernel/sched_deadline_period_min_us");
    const auto max = system.read_integer("/proc/sys/kernel/sched_deadline_period_max_us");
    if (!min || !max) {
        return "it must be 1024ns <= runtime <= deadline <= period, within the kernel's bounds";
    }
    return fmt::format(
        "the period must lie within {}us..{}us (kernel.sched_deadline_period_min_us "
        "and _max_us), and runtime <= deadline <= period",
        *min, *max);
}

std::string cause(const Error& refused, const WorkerSettings& settings, std::uint32_t workers,
                  const SystemRoot& system) {
    const bool deadline = settings.policy && settings.policy->is_deadline();
    switch (refused.code) {
        case EPERM:
        case EACCES:
            return eperm_cause(settings, system);
        case EBUSY:
            if (const auto admission = deadline ? deadline_admission(system) : std::nullopt) {
                return "deadline admission: " + admission->text(*settings.policy, workers);
            }
            return "deadline admission";
        case EOPNOTSUPP:
            return "the kernel was built without utilisation clamps (CONFIG_UCLAMP_TASK)";
        case E2BIG:
            return settings.uclamp ? "the kernel has no utilisation clamps (they came with 5.3)"
                                   : "the kernel knows a smaller struct sched_attr only";
        case ENOSYS:
            return "the call came with Linux 3.14";
        case EINVAL:
            return deadline ? deadline_bounds(system) : "the kernel does not know this policy";
        default:
            return {};
    }
}

}  // namespace

Error explain_refusal(const Error& refused, const WorkerSettings& settings, std::uint32_t workers,
                      const SystemRoot& system) {
    Error explained = refused;
    if (refused.operation == "sched_setattr" && refused.detail.empty()) {
        explained.detail = cause(refused, settings, workers, system);
    }
    return explained;
}

}  // namespace bench
