#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "common/sysfs.h"

// The groups of keys that capture_environment puts together. Each returns an object, empty when
// nothing could be read.
namespace bench::environment {

using Json = nlohmann::ordered_json;

/// What uname(2) tells on the machine itself, /proc/sys/kernel in a fixture tree; parts that can't
/// be read are empty.
struct KernelName {
    std::string release;
    std::string version;
    std::string machine;
};
[[nodiscard]] KernelName read_kernel_name(const SystemRoot& system);

[[nodiscard]] Json kernel_section(const SystemRoot& system, const KernelName& name);
/// Which preemption model is in force, and the pieces of evidence for it.
[[nodiscard]] Json preemption_section(const SystemRoot& system, const KernelName& name);
[[nodiscard]] Json scheduler_section(const SystemRoot& system, std::string_view release);
/// sched_ext as it stands: {state, ops, switch_all, enable_seq}.
[[nodiscard]] Json sched_ext_section(const SystemRoot& system);
[[nodiscard]] Json cpu_section(const SystemRoot& system);
[[nodiscard]] Json topology_section(const SystemRoot& system);
[[nodiscard]] Json frequency_section(const SystemRoot& system);
[[nodiscard]] Json timing_section(const SystemRoot& system);
[[nodiscard]] Json virtualisation_section(const SystemRoot& system, std::string_view release);
[[nodiscard]] Json memory_section(const SystemRoot& system);
[[nodiscard]] Json limits_section(const SystemRoot& system);
[[nodiscard]] Json autogroup_section(const SystemRoot& system);
[[nodiscard]] Json cgroup_section(const SystemRoot& system);
/// How often our group, and those above it with a quota, were stopped by their quota so far.
[[nodiscard]] Json throttling_section(const SystemRoot& system);
[[nodiscard]] Json tool_section();

}  // namespace bench::environment
