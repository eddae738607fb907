#include "common/cgroup_removal.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>

#include "common/clock.h"
#include "common/environment_text.h"
#include "common/syscalls.h"
#include "common/sysfs.h"

namespace bench {
namespace {

constexpr Duration kPatience = std::chrono::seconds(10);
constexpr useconds_t kPauseUs = 2'000;

/// SIGKILL to each.
void kill_members(const std::string& members) {
    for (const std::string_view line : environment::lines(members)) {
        const auto pid = environment::whole_number(environment::trim(line));
        // 0 is one of another pid namespace; to kill(2) it would be our own group.
        if (pid && *pid > 1 && *pid != ::getpid()) {
            ::kill(static_cast<pid_t>(*pid), SIGKILL);
        }
    }
}

}  // namespace

Status empty_cgroup(const std::string& folder) {
    const SystemRoot system;
    const TimePoint until = MonotonicClock::now() + kPatience;
    bool by_kernel = system.exists(folder + "/cgroup.kill");
    while (true) {
        const Result<std::string> members = system.read(folder + "/cgroup.procs");
        if (!members) {
            // ENODEV: it was removed while we had it open.
            const int code = members.error().code;
            return code == ENOENT || code == ENODEV ? Status() : Status(members.error());
        }
        if (members->empty()) {
            return {};
        }
        by_kernel = by_kernel && system.write(folder + "/cgroup.kill", "1").ok();
        if (!by_kernel) {
            kill_members(*members);
        }
        if (MonotonicClock::now() >= until) {
            return Error{ETIMEDOUT, "kill", folder, "it still holds processes"};
        }
        ::usleep(kPauseUs);
    }
}

Status remove_cgroup(const std::string& folder) {
    const TimePoint until = MonotonicClock::now() + kPatience;
    while (true) {
        if (Status empty = empty_cgroup(folder); !empty) {
            return empty;
        }
        if (syscalls().rmdir(folder.c_str()) == 0 || errno == ENOENT) {
            return {};
        }
        if ((errno != EBUSY && errno != EINTR) || MonotonicClock::now() >= until) {
            return errno_error("rmdir", folder);
        }
        ::usleep(kPauseUs);
    }
}

Status remove_cgroup_tree(const std::string& folder) {
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
        if (entry.is_directory(code)) {
            if (Status removed = remove_cgroup_tree(entry.path().string()); !removed) {
                return removed;
            }
        }
    }
    return remove_cgroup(folder);
}

}  // namespace bench
