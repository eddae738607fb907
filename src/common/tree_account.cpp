#include "common/tree_account.h"

#include <algorithm>
#include <ctime>

#include "common/descendants.h"
#include "common/environment_text.h"
#include "common/sysfs.h"

namespace bench {
namespace {

Duration of(const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

/// All its threads, the ended ones too, to the nanosecond; nullopt: it is gone.
std::optional<Duration> own_cpu_time(pid_t pid) {
    clockid_t clock{};
    timespec time{};
    if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
        return std::nullopt;
    }
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// The sum over its living threads; nullopt: the kernel keeps no such account.
std::optional<Duration> own_run_delay(pid_t pid) {
    const SystemRoot system;
    const std::string tasks = "/proc/" + std::to_string(pid) + "/task/";
    Duration sum{};
    for (const std::string& task : system.list(tasks)) {
        const auto text = system.read_trimmed(tasks + task + "/schedstat");
        if (!text) {
            continue;
        }
        // "cpu_time run_delay timeslices"; without timeslices nothing is counted, or it never ran.
        const auto numbers = environment::words(*text);
        const auto delay =
            numbers.size() == 3 ? environment::whole_number(numbers[1]) : std::nullopt;
        if (!delay || numbers[2] == "0") {
            return std::nullopt;
        }
        sum += Duration(*delay);
    }
    return sum;
}

}  // namespace

void TreeAccount::add_ended(const rusage& used) {
    any_ended_ = true;
    ended_.cpu_time += of(used.ru_utime) + of(used.ru_stime);
    ended_switches_ += static_cast<std::uint64_t>(used.ru_nvcsw + used.ru_nivcsw);
}

TreeUsage TreeAccount::read(pid_t root) {
    TreeUsage now = ended_;
    bool all_live = !any_ended_;
    Duration run_delay{};
    const std::vector<ProcessEntry> tree = list_descendants(root);
    // Clocks after the lines of all: one that was waited for in between is then missed, not counted
    // twice.
    for (const ProcessEntry& process : tree) {
        now.cpu_time += process.waited_cpu_time + own_cpu_time(process.pid).value_or(Duration{});
        now.running += process.ended() ? 0U : 1U;
        all_live = all_live && !process.ended() && process.waited_faults == 0;
    }
    for (std::size_t i = 0; all_live && i < tree.size(); ++i) {
        const auto delay = own_run_delay(tree[i].pid);
        all_live = delay.has_value();
        run_delay += delay.value_or(Duration{});
    }
    if (all_live && !tree.empty()) {
        now.run_delay = run_delay;
    }
    if (tree.empty()) {
        now.context_switches = ended_switches_;
    } else {
        now.cpu_time = std::max(now.cpu_time, last_cpu_time_);
    }
    last_cpu_time_ = now.cpu_time;
    return now;
}

}  // namespace bench
