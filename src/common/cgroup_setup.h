#pragma once

#include <string>
#include <string_view>

#include "common/cgroup_branch.h"
#include "common/cpu_set.h"
#include "common/result.h"
#include "common/sysfs.h"

// Single steps of making cgroups: each asks the kernel, reads back, and says what refused and why.
namespace bench {

[[nodiscard]] Status make_cgroup(const SystemRoot& system, const std::string& folder);

/// Has the group hand `controllers` down to groups inside it (v2).
[[nodiscard]] Status hand_down(const SystemRoot& system, const std::string& folder,
                               const std::vector<std::string>& controllers);

/// cpu.weight or, in v1, cpu.shares.
[[nodiscard]] Status set_weight(const SystemRoot& system, const std::string& folder, bool v2,
                                std::uint32_t weight);

/// The group's CPUs and, in v1, with the memory nodes of `parent`: without them nothing may enter.
[[nodiscard]] Status set_cpus(const SystemRoot& system, const std::string& folder, bool v2,
                              const std::string& parent, const CpuSet& cpus);

/// Keeps those CPUs from groups beside it (v1) or from everybody else (v2: a partition root).
[[nodiscard]] Status make_exclusive(const SystemRoot& system, const std::string& folder, bool v2);

/// "PID NAME" of real-time processes outside of the root of the v2 hierarchy, at most `most`.
[[nodiscard]] std::vector<std::string> realtime_processes_in_groups(const SystemRoot& system,
                                                                    std::size_t most);

}  // namespace bench
