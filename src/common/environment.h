#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/cpu_set.h"
#include "common/sysfs.h"

namespace bench {

using Json = nlohmann::ordered_json;

/// Name of the running CPU scheduler, and what it was told by.
struct SchedulerIdentity {
    std::string name;      ///< "CFS", "EEVDF", "BORE", "BMQ", "PDS", "MuQSS", "BFS",
                           ///< "sched_ext:scx_rusty"; "" unknown
    std::string evidence;  ///< "kernel version 6.12", "/proc/sys/kernel/sched_bore", ...
};
[[nodiscard]] SchedulerIdentity detect_scheduler(const SystemRoot& system,
                                                 std::string_view kernel_release);

/// Facts that stay while a boot and its settings last, each as read; what can't be read is absent.
/// Keys are described in docs/environment.md.
[[nodiscard]] Json capture_environment(const SystemRoot& system);

/// What changes from moment to moment: load average, runnable tasks, steal and idle time, memory
/// available, throttling of our cgroup, frequencies, pressure, sched_ext state.
[[nodiscard]] Json capture_state(const SystemRoot& system);

/// What the states before and after a cell say against it: steal, throttling, a scheduler that
/// changed or died. Each a sentence for the taints.
[[nodiscard]] std::vector<std::string> state_taints(const Json& before, const Json& after);

/// Plain warnings about running on `cpus` in this environment: mixed core classes, split SMT
/// siblings, isolated CPUs (not balanced), governors that differ.
[[nodiscard]] std::vector<std::string> environment_notes(const Json& environment,
                                                         const CpuSet& cpus);

}  // namespace bench
