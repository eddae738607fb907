#include "common/deadline_admission.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "common/affinity.h"
#include "common/kernel_sched_attr.h"

namespace bench {
namespace {

/// 50 ms of each second: what a fair server has by default.
constexpr double kDefaultServer = 0.05;

/// "6.18.44-x" is at least 6.12.
bool kernel_at_least(const SystemRoot& system, int major, int minor) {
    const std::string release = system.read_trimmed("/proc/sys/kernel/osrelease").value_or("");
    int numbers[2] = {0, 0};
    const char* at = release.data();
    const char* const end = at + release.size();
    for (int& number : numbers) {
        const auto parsed = std::from_chars(at, end, number);
        if (parsed.ec != std::errc()) {
            return false;
        }
        at = parsed.ptr == end ? end : parsed.ptr + 1;
    }
    return numbers[0] > major || (numbers[0] == major && numbers[1] >= minor);
}

/// What one kind of server holds on all CPUs together; nullopt: debugfs doesn't tell.
std::optional<double> servers_in(const SystemRoot& system, const std::string& folder) {
    double sum = 0;
    bool any = false;
    for (const std::string& cpu : system.list(folder)) {
        const auto runtime = system.read_integer(folder + "/" + cpu + "/runtime");
        const auto period = system.read_integer(folder + "/" + cpu + "/period");
        if (runtime && period && *period > 0) {
            sum += static_cast<double>(*runtime) / static_cast<double>(*period);
            any = true;
        }
    }
    return any ? std::optional(sum) : std::nullopt;
}

void read_servers(const SystemRoot& system, DeadlineAdmission& admission) {
    const auto cpus = static_cast<double>(admission.cpus);
    const std::string sched = "/sys/kernel/debug/sched";
    if (const auto fair = servers_in(system, sched + "/fair_server")) {
        admission.servers = (*fair + servers_in(system, sched + "/ext_server").value_or(0)) / cpus;
    } else if (kernel_at_least(system, 6, 12)) {
        admission.servers = kDefaultServer;
        admission.servers_assumed = true;
    }
}

void count_task(pid_t tid, DeadlineAdmission& admission) {
    const auto attributes = get_sched_attributes(tid);
    if (attributes && attributes->policy == kSchedDeadline && attributes->period_ns > 0) {
        admission.others += static_cast<double>(attributes->runtime_ns) /
                            static_cast<double>(attributes->period_ns);
        ++admission.other_tasks;
    }
}

void count_others(const SystemRoot& system, DeadlineAdmission& admission) {
    if (!system.is_host()) {
        return;
    }
    for (const std::string& name : system.list("/proc")) {
        if (name.find_first_not_of("0123456789") != std::string::npos) {
            continue;
        }
        for (const std::string& task : system.list("/proc/" + name + "/task")) {
            pid_t tid = 0;
            std::from_chars(task.data(), task.data() + task.size(), tid);
            count_task(tid, admission);
        }
    }
}

/// As percent with at most one decimal: "25 %", "180 %", "33.3 %".
std::string percent(double share) {
    const double tenths = std::round(share * 1000);
    return std::fmod(tenths, 10) == 0 ? fmt::format("{:.0f} %", tenths / 10)
                                      : fmt::format("{:.1f} %", tenths / 10);
}

}  // namespace

std::optional<std::uint64_t> DeadlineAdmission::fits(double share) const {
    if (!limit || share <= 0) {
        return std::nullopt;
    }
    const double room = static_cast<double>(cpus) * (*limit - servers) - others;
    // The kernel reckons in 2^-20 of a CPU, cut off.
    constexpr double kUnit = 1.0 / (1U << 20U);
    return room <= 0 ? 0 : static_cast<std::uint64_t>((room + kUnit) / share);
}

std::string DeadlineAdmission::text(const PolicyRequest& policy, std::uint64_t workers) const {
    const double share =
        static_cast<double>(policy.runtime.count()) / static_cast<double>(policy.period.count());
    const auto fit = fits(share);
    if (!fit) {
        return fmt::format("{} of {} each were asked for", workers, percent(share));
    }
    std::string text = fmt::format("{} CPU{} x {} (sched_rt_runtime_us / sched_rt_period_us)", cpus,
                                   cpus == 1 ? "" : "s", percent(*limit));
    double room = static_cast<double>(cpus) * (*limit - servers) - others;
    if (servers > 0) {
        text += fmt::format(" - {} x {} for the kernel's fair servers{}", cpus, percent(servers),
                            servers_assumed ? " (their default)" : "");
    }
    if (other_tasks > 0) {
        text += fmt::format(" - {} for {} other deadline task{}", percent(others), other_tasks,
                            other_tasks == 1 ? "" : "s");
    }
    return text + fmt::format(" leave {}: {} of {} each fit, {} {} asked for",
                              percent(std::max(room, 0.0)), *fit, percent(share), workers,
                              workers == 1 ? "was" : "were");
}

std::optional<DeadlineAdmission> deadline_admission(const SystemRoot& system) {
    const auto runtime = system.read_integer("/proc/sys/kernel/sched_rt_runtime_us");
    const auto period = system.read_integer("/proc/sys/kernel/sched_rt_period_us");
    const auto online = online_cpus(system);
    if (!runtime || !period || *period <= 0 || !online || online->empty()) {
        return std::nullopt;
    }
    DeadlineAdmission admission;
    admission.cpus = online->size();
    if (*runtime < 0) {
        admission.limit.reset();
    } else {
        admission.limit = static_cast<double>(*runtime) / static_cast<double>(*period);
    }
    read_servers(system, admission);
    count_others(system, admission);
    return admission;
}

}  // namespace bench
