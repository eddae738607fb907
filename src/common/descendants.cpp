#include "common/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "common/clock.h"
#include "common/fd.h"
#include "common/guardian_protocol.h"

namespace bench {
namespace {

std::optional<ProcessEntry> read_entry(pid_t pid) {
    const std::string path = "/proc/" + std::to_string(pid) + "/stat";
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 512> buffer{};
    const ssize_t got = file.valid() ? ::read(file.get(), buffer.data(), buffer.size()) : -1;
    return got <= 0 ? std::nullopt
                    : parse_process_stat({buffer.data(), static_cast<std::size_t>(got)});
}

std::vector<ProcessEntry> list_processes() {
    std::vector<ProcessEntry> all;
    DIR* folder = ::opendir("/proc");
    if (folder == nullptr) {
        return all;
    }
    while (const dirent* file = ::readdir(folder)) {
        const char* end = file->d_name + std::strlen(file->d_name);
        pid_t pid = 0;
        const auto [rest, failure] = std::from_chars(file->d_name, end, pid);
        if (failure != std::errc() || rest != end) {
            continue;
        }
        if (auto entry = read_entry(pid)) {
            all.push_back(std::move(*entry));
        }
    }
    ::closedir(folder);
    return all;
}

/// SIGSTOP to each that had none yet; whether there was such a one.
bool stop_new(const std::vector<ProcessEntry>& victims, std::unordered_set<pid_t>& stopped) {
    bool found = false;
    for (const ProcessEntry& victim : victims) {
        if (stopped.insert(victim.pid).second) {
            ::kill(victim.pid, SIGSTOP);
            found = true;
        }
    }
    return found;
}

void wait_for_sigchld(Duration at_most) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    const timespec timeout{0, at_most.count()};
    ::sigtimedwait(&set, nullptr, &timeout);
}

}  // namespace

bool reap_children(const ReapedChild& reaped) {
    while (true) {
        int status = 0;
        rusage used{};
        const pid_t pid = ::wait4(-1, &status, WNOHANG, &used);
        if (pid > 0) {
            reaped(pid, status, used);
        } else if (pid == 0) {
            return true;
        } else if (errno != EINTR) {
            return false;
        }
    }
}

std::vector<ProcessEntry> list_descendants(pid_t root) {
    std::unordered_map<pid_t, std::vector<ProcessEntry>> children;
    for (ProcessEntry& entry : list_processes()) {
        const pid_t parent = entry.parent;
        children[parent].push_back(std::move(entry));
    }
    std::vector<ProcessEntry> found;
    std::vector<pid_t> open{root};
    while (!open.empty()) {
        const auto of = children.find(open.back());
        open.pop_back();
        if (of == children.end()) {
            continue;
        }
        for (ProcessEntry& entry : of->second) {
            open.push_back(entry.pid);
            found.push_back(std::move(entry));
        }
        children.erase(of);
    }
    return found;
}

void kill_descendants(const ReapedChild& reaped) {
    constexpr Duration kPatienceWithGuardians = std::chrono::seconds(10);
    constexpr Duration kBetweenLooks = std::chrono::milliseconds(5);
    constexpr int kMostStopPasses = 20;
    const TimePoint begin = MonotonicClock::now();
    std::unordered_set<pid_t> stopped;
    int passes = 0;
    while (reap_children(reaped)) {
        const bool patient = MonotonicClock::now() - begin < kPatienceWithGuardians;
        std::vector<ProcessEntry> victims = list_descendants(::getpid());
        std::erase_if(victims, [&](const ProcessEntry& entry) {
            return entry.ended() || (patient && entry.name == kGuardianName);
        });
        // Once no new ones appear nobody is left who could fork.
        if (stop_new(victims, stopped) && ++passes < kMostStopPasses) {
            continue;
        }
        passes = 0;
        for (const ProcessEntry& victim : victims) {
            ::kill(victim.pid, SIGKILL);
        }
        wait_for_sigchld(kBetweenLooks);
    }
}

}  // namespace bench
