#include "common/worker_limits.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace bench {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        if (end > 0) {
            parts.push_back(text.substr(0, end));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

std::optional<std::uint64_t> to_number(std::string_view text, int base = 10) {
    std::uint64_t value = 0;
    const auto [rest, failure] =
        std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (failure != std::errc() || rest != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

/// The value of "Key:\tvalue" in a /proc/PID/status.
std::string_view status_field(std::string_view status, std::string_view key) {
    for (const std::string_view line : split(status, '\n')) {
        if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == ':') {
            const std::size_t start = line.find_first_not_of(" \t", key.size() + 1);
            return start == std::string_view::npos ? std::string_view() : line.substr(start);
        }
    }
    return {};
}

struct Mount {
    std::string root;   ///< the cgroup that is mounted
    std::string point;  ///< where
};

/// The mounted hierarchies that may hold a pids controller: v2, and v1's own.
std::vector<Mount> pids_mounts(std::string_view mountinfo, bool unified) {
    std::vector<Mount> mounts;
    for (const std::string_view line : split(mountinfo, '\n')) {
        const std::vector<std::string_view> fields = split(line, ' ');
        const auto dash = std::find(fields.begin(), fields.end(), "-");
        if (fields.size() < 6 || fields.end() - dash < 4) {
            continue;
        }
        const std::vector<std::string_view> options = split(dash[3], ',');
        const bool wanted =
            unified ? dash[1] == "cgroup2"
                    : dash[1] == "cgroup" &&
                          std::find(options.begin(), options.end(), "pids") != options.end();
        if (wanted) {
            mounts.push_back({std::string(fields[3]), std::string(fields[4])});
        }
    }
    return mounts;
}

/// pids.max of the cgroup `path` and of all above it up to the mount.
void add_pids_limits(const SystemRoot& system, const Mount& mount, std::string path,
                     std::vector<TaskLimit>& limits) {
    if (mount.root != "/") {
        // In a container the mount shows only a part of the hierarchy.
        path = path.starts_with(mount.root) ? path.substr(mount.root.size()) : "";
    }
    while (true) {
        while (path.ends_with('/')) {
            path.pop_back();
        }
        const std::string folder = mount.point + path;
        const auto allowed = system.read_integer(folder + "/pids.max");  // "max" is no integer
        const auto used = system.read_integer(folder + "/pids.current");
        if (allowed && used && *allowed >= 0 && *used >= 0) {
            limits.push_back({"pids.max", folder, static_cast<std::uint64_t>(*allowed),
                              static_cast<std::uint64_t>(*used)});
        }
        if (path.empty()) {
            return;
        }
        path.resize(std::min(path.rfind('/'), path.size()));
    }
}

void add_cgroup_limits(const SystemRoot& system, std::vector<TaskLimit>& limits) {
    const auto cgroups = system.read_trimmed("/proc/self/cgroup");
    const auto mountinfo = system.read_trimmed("/proc/self/mountinfo");
    if (!cgroups || !mountinfo) {
        return;
    }
    for (const std::string_view line : split(*cgroups, '\n')) {
        // "0::/path" for v2, "8:pids:/path" for v1.
        const std::size_t first = line.find(':');
        const std::size_t second =
            first == std::string_view::npos ? first : line.find(':', first + 1);
        if (second == std::string_view::npos) {
            continue;
        }
        const std::string_view controllers = line.substr(first + 1, second - first - 1);
        const std::vector<std::string_view> names = split(controllers, ',');
        const bool unified = controllers.empty();
        if (!unified && std::find(names.begin(), names.end(), "pids") == names.end()) {
            continue;
        }
        for (const Mount& mount : pids_mounts(*mountinfo, unified)) {
            add_pids_limits(system, mount, std::string(line.substr(second + 1)), limits);
        }
    }
}

/// Root's own user and CAP_SYS_RESOURCE or CAP_SYS_ADMIN are exempt from RLIMIT_NPROC.
bool exempt_from_nproc(const SystemRoot& system) {
    if (::getuid() == 0) {
        return true;
    }
    constexpr unsigned kSysAdmin = 21;
    constexpr unsigned kSysResource = 24;
    const auto status = system.read_trimmed("/proc/self/status");
    const auto effective = status ? to_number(status_field(*status, "CapEff"), 16) : std::nullopt;
    return effective && (((*effective >> kSysAdmin) | (*effective >> kSysResource)) & 1U) != 0;
}

/// Tasks whose real user is ours. Others' processes may end while we look.
std::uint64_t count_own_tasks(const SystemRoot& system) {
    const std::string own = std::to_string(::getuid());
    std::uint64_t tasks = 0;
    for (const std::string& name : system.list("/proc")) {
        if (!to_number(name)) {
            continue;
        }
        const auto status = system.read_trimmed("/proc/" + name + "/status");
        if (!status) {
            continue;
        }
        const std::vector<std::string_view> users = split(status_field(*status, "Uid"), '\t');
        if (!users.empty() && users[0] == own) {
            tasks += to_number(status_field(*status, "Threads")).value_or(1);
        }
    }
    return tasks;
}

void add_nproc_limit(const SystemRoot& system, std::vector<TaskLimit>& limits) {
    rlimit limit{};
    if (!system.is_host() || ::getrlimit(RLIMIT_NPROC, &limit) != 0 ||
        limit.rlim_cur == RLIM_INFINITY || exempt_from_nproc(system)) {
        return;
    }
    limits.push_back({"RLIMIT_NPROC", {}, limit.rlim_cur, count_own_tasks(system)});
}

/// The number behind the slash of "0.20 0.18 0.12 1/80 11206".
std::optional<std::uint64_t> count_all_tasks(const SystemRoot& system) {
    const auto loadavg = system.read_trimmed("/proc/loadavg");
    if (!loadavg) {
        return std::nullopt;
    }
    const std::vector<std::string_view> fields = split(*loadavg, ' ');
    if (fields.size() < 4) {
        return std::nullopt;
    }
    const std::size_t slash = fields[3].find('/');
    return slash == std::string_view::npos ? std::nullopt : to_number(fields[3].substr(slash + 1));
}

void add_kernel_limits(const SystemRoot& system, std::vector<TaskLimit>& limits) {
    const auto tasks = count_all_tasks(system);
    if (!tasks) {
        return;
    }
    for (const char* name : {"threads-max", "pid_max"}) {
        const auto allowed = system.read_integer(fmt::format("/proc/sys/kernel/{}", name));
        if (allowed && *allowed >= 0) {
            limits.push_back(
                {fmt::format("kernel.{}", name), {}, static_cast<std::uint64_t>(*allowed), *tasks});
        }
    }
}

}  // namespace

std::vector<TaskLimit> task_limits(const SystemRoot& system) {
    std::vector<TaskLimit> limits;
    add_cgroup_limits(system, limits);
    add_nproc_limit(system, limits);
    add_kernel_limits(system, limits);
    return limits;
}

std::optional<TaskLimit> exhausted_limit(const SystemRoot& system, std::uint64_t wanted) {
    std::optional<TaskLimit> tightest;
    for (TaskLimit& limit : task_limits(system)) {
        if (limit.room() < wanted && (!tightest || limit.room() < tightest->room())) {
            tightest = std::move(limit);
        }
    }
    return tightest;
}

std::string limit_text(const TaskLimit& limit) {
    return fmt::format("{} {}{}{}", limit.name, limit.allowed, limit.where.empty() ? "" : " of ",
                       limit.where);
}

}  // namespace bench
