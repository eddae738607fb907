#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/sysfs.h"
#include "common/worker_settings.h"

namespace bench {

/// What the kernel reckons with when a task asks for the deadline policy: the sum of runtime/period
/// over a root domain must stay within CPUs x sched_rt_runtime_us / sched_rt_period_us. Shares are
/// parts of one CPU. See Documentation/scheduler/sched-deadline.rst, section 4.
struct DeadlineAdmission {
    std::uint64_t cpus = 0;  ///< online ones; a root domain cut smaller by cpusets is not seen
    std::optional<double> limit = 0.0;  ///< per CPU; absent: there is none (-1)
    double servers = 0;  ///< per CPU, held by the kernel's fair servers (Linux 6.12 and later)
    bool servers_assumed = false;  ///< their default; debugfs, which tells, can't be read
    double others = 0;             ///< held by deadline tasks that run already
    std::uint64_t other_tasks = 0;

    /// How many tasks of `share` each are let in; absent without a limit.
    [[nodiscard]] std::optional<std::uint64_t> fits(double share) const;
    /// "2 CPUs x 95 % (sched_rt_runtime_us / sched_rt_period_us) - 2 x 5 % for the kernel's fair
    /// servers leave 180 %: 7 of 25 % each fit, 30 were asked for".
    [[nodiscard]] std::string text(const PolicyRequest& policy, std::uint64_t workers) const;
};

/// nullopt: /proc or the list of CPUs can't be read.
[[nodiscard]] std::optional<DeadlineAdmission> deadline_admission(const SystemRoot& system);

}  // namespace bench
