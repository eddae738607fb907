#include "common/cgroup_setup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>

#include "common/environment_text.h"
#include "common/syscalls.h"
#include "common/user_cgroups.h"

namespace bench {
namespace {

using environment::lines;
using environment::words;

constexpr mode_t kMode = 0755;

/// Writes a value and compares with what is then there.
Status set_value(const SystemRoot& system, const std::string& file, const std::string& value) {
    if (Status written = system.write(file, value); !written) {
        return written;
    }
    const auto now = system.read_trimmed(file);
    if (now != value) {
        return plain_error("set", file,
                           fmt::format("asked was '{}', the kernel reads back {}", value,
                                       now ? "'" + *now + "'" : "nothing"));
    }
    return {};
}

std::string refusal_cause(const SystemRoot& system, int code) {
    switch (code) {
        case EBUSY:
            return "the group holds processes, and then can't hand controllers down";
        case EINVAL: {
            const auto realtime = realtime_processes_in_groups(system, 5);
            return fmt::format(
                "real-time tasks outside the root group forbid it (CONFIG_RT_GROUP_SCHED){}{}",
                realtime.empty() ? "" : ": ", fmt::join(realtime, ", "));
        }
        case ENOENT:
            return "the controller is not available at this level";
        case EROFS:
            return "the cgroup file system is mounted read-only";
        default:
            return {};
    }
}

}  // namespace

Status make_cgroup(const SystemRoot& system, const std::string& folder) {
    const std::string path = system.resolve(folder).string();
    if (syscalls().mkdir(path.c_str(), kMode) == 0) {
        return {};
    }
    std::string cause;
    if (errno == EROFS) {
        cause = "the cgroup file system is mounted read-only, as in many containers";
    } else if (errno == EACCES || errno == EPERM) {
        cause = "this user may not make cgroups there: run as root, or where they were delegated";
    } else if (errno == EAGAIN) {
        cause = "cgroup.max.descendants or cgroup.max.depth of a group above is reached";
    }
    return errno_error("mkdir", path, cause);
}

Status hand_down(const SystemRoot& system, const std::string& folder,
                 const std::vector<std::string>& controllers) {
    if (controllers.empty()) {
        return {};
    }
    const std::string file = folder + "/cgroup.subtree_control";
    if (const Status written = system.write(file, fmt::format("+{}", fmt::join(controllers, " +")));
        !written) {
        Error error = written.error();
        error.detail = refusal_cause(system, error.code);
        return error;
    }
    const auto now = system.read_trimmed(file).value_or("");
    const auto names = words(now);
    for (const std::string& controller : controllers) {
        if (std::find(names.begin(), names.end(), controller) == names.end()) {
            return plain_error(
                "set", file,
                fmt::format("the kernel took +{}, but reads back '{}'", controller, now));
        }
    }
    return {};
}

Status set_weight(const SystemRoot& system, const std::string& folder, bool v2,
                  std::uint32_t weight) {
    const std::string file = folder + (v2 ? "/cpu.weight" : "/cpu.shares");
    Status set = set_value(system, file,
                           v2 ? std::to_string(weight) : std::to_string(shares_of_weight(weight)));
    if (!set && set.error().code == ENOENT) {
        Error error = set.error();
        error.detail = "the cpu controller does not act at this level";
        return error;
    }
    return set;
}

Status set_cpus(const SystemRoot& system, const std::string& folder, bool v2,
                const std::string& parent, const CpuSet& cpus) {
    if (!v2) {
        const auto nodes = system.read_trimmed(parent + "/cpuset.mems");
        if (!nodes || nodes->empty()) {
            return plain_error("read", parent + "/cpuset.mems",
                               "it has no memory nodes to hand on");
        }
        if (Status set = set_value(system, folder + "/cpuset.mems", *nodes); !set) {
            return set;
        }
    }
    const std::string file = folder + "/cpuset.cpus";
    Status set = set_value(system, file, cpus.to_list());
    if (!set && set.error().code != 0) {
        Error error = set.error();
        error.detail = fmt::format("CPUs {} are wanted, and {} has {}", cpus.to_list(), parent,
                                   system.read_trimmed(parent + "/cpuset.cpus.effective")
                                       .value_or(system.read_trimmed(parent + "/cpuset.cpus")
                                                     .value_or("none that can be read")));
        return error;
    }
    return set;
}

Status make_exclusive(const SystemRoot& system, const std::string& folder, bool v2) {
    if (!v2) {
        Status set = set_value(system, folder + "/cpuset.cpu_exclusive", "1");
        if (!set && set.error().code != 0) {
            Error error = set.error();
            error.detail = error.code == EACCES
                               ? "the group above is not cpu_exclusive itself"
                               : "a group beside it has some of these CPUs: it would be no "
                                 "exclusive cpuset";
            return error;
        }
        return set;
    }
    const std::string file = folder + "/cpuset.cpus.partition";
    if (const Status written = system.write(file, "root"); !written) {
        Error error = written.error();
        error.detail = error.code == ENOENT
                           ? "the kernel has no cpuset partitions (they came with 5.0)"
                           : "the kernel refuses a partition here";
        return error;
    }
    const auto now = system.read_trimmed(file);
    if (now != "root") {
        return plain_error(
            "set", file,
            fmt::format("a partition root was asked for, the kernel says '{}'", now.value_or("")));
    }
    return {};
}

std::vector<std::string> realtime_processes_in_groups(const SystemRoot& system, std::size_t most) {
    // proc(5): field 41 of stat, behind "PID (NAME)".
    constexpr std::size_t kPolicyBehindName = 38;
    std::vector<std::string> found;
    for (const std::string& pid : system.list("/proc")) {
        if (found.size() == most || !environment::whole_number(pid)) {
            continue;
        }
        const auto groups = system.read(fmt::format("/proc/{}/cgroup", pid));
        const auto stat = system.read_trimmed(fmt::format("/proc/{}/stat", pid));
        const std::size_t open = stat ? stat->find('(') : std::string::npos;
        const std::size_t close = stat ? stat->rfind(')') : std::string::npos;
        if (!groups || open == std::string::npos || close == std::string::npos) {
            continue;
        }
        const auto fields = words(std::string_view(*stat).substr(close + 1));
        const bool realtime =
            fields.size() > kPolicyBehindName &&
            (fields[kPolicyBehindName] == "1" || fields[kPolicyBehindName] == "2");
        const auto all = lines(*groups);
        const bool in_root = std::find(all.begin(), all.end(), "0::/") != all.end();
        if (realtime && !in_root) {
            found.push_back(pid + " " + stat->substr(open + 1, close - open - 1));
        }
    }
    return found;
}

}  // namespace bench
