#include "common/environment.h"

#include "common/environment_sections.h"
#include "common/environment_text.h"

namespace bench {

Json capture_environment(const SystemRoot& system) {
    using namespace environment;
    const KernelName name = read_kernel_name(system);
    Json json = Json::object();
    put(json, "kernel", kernel_section(system, name));
    put(json, "scheduler", scheduler_section(system, name.release));
    put(json, "cpu", cpu_section(system));
    put(json, "timing", timing_section(system));
    put(json, "virtualisation", virtualisation_section(system, name.release));
    put(json, "memory", memory_section(system));
    put(json, "limits", limits_section(system));
    put(json, "cgroup", cgroup_section(system));
    put(json, "autogroup", autogroup_section(system));
    json["tool"] = tool_section();
    put(json, "boot_id", fact(system, "/proc/sys/kernel/random/boot_id"));
    return json;
}

}  // namespace bench
