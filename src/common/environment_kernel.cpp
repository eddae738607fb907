#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>

#include "common/environment_sections.h"
#include "common/environment_text.h"
#include "common/kernel_config.h"

namespace bench::environment {

namespace {

/// The choice made at build time: CONFIG_PREEMPT_NONE=y says "none".
std::optional<std::string> configured_preemption(const std::optional<KernelConfig>& config) {
    static constexpr std::array<std::pair<const char*, const char*>, 6> kChoices = {
        {{"CONFIG_PREEMPT_RT", "rt"},
         {"CONFIG_PREEMPT_RT_FULL", "rt"},
         {"CONFIG_PREEMPT_NONE", "none"},
         {"CONFIG_PREEMPT_VOLUNTARY", "voluntary"},
         {"CONFIG_PREEMPT_LAZY", "lazy"},
         {"CONFIG_PREEMPT", "full"}}};
    if (config) {
        for (const auto& [option, name] : kChoices) {
            if (config->is_set(option)) {
                return name;
            }
        }
    }
    return std::nullopt;
}

/// "PREEMPT_DYNAMIC" out of "#1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1"; the patch for real time
/// wrote "PREEMPT RT" before it was merged.
std::optional<std::string> preemption_in_version(std::string_view version) {
    const std::vector<std::string_view> parts = words(version);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i] == "PREEMPT" && i + 1 < parts.size() && parts[i + 1] == "RT") {
            return "PREEMPT_RT";
        }
        if (parts[i] == "PREEMPT" || parts[i].starts_with("PREEMPT_")) {
            return std::string(parts[i]);
        }
    }
    return std::nullopt;
}

Json mitigations(const SystemRoot& system, const std::optional<std::string>& command_line) {
    constexpr const char* kFolder = "/sys/devices/system/cpu/vulnerabilities";
    Json json = Json::object();
    if (command_line) {
        put(json, "parameter", command_line_value(*command_line, "mitigations"));
    }
    Json vulnerabilities = Json::object();
    for (const std::string& name : system.list(kFolder)) {
        put(vulnerabilities, name, fact(system, fmt::format("{}/{}", kFolder, name)));
    }
    put(json, "vulnerabilities", std::move(vulnerabilities));
    return json;
}

}  // namespace

KernelName read_kernel_name(const SystemRoot& system) {
    if (system.is_host()) {
        utsname name{};
        if (::uname(&name) != 0) {
            return {};
        }
        return {static_cast<const char*>(name.release), static_cast<const char*>(name.version),
                static_cast<const char*>(name.machine)};
    }
    return {fact(system, "/proc/sys/kernel/osrelease").value_or(""),
            fact(system, "/proc/sys/kernel/version").value_or(""),
            fact(system, "/proc/sys/kernel/arch").value_or("")};
}

Json preemption_section(const SystemRoot& system, const KernelName& name) {
    const std::optional<std::string> in_version = preemption_in_version(name.version);
    const std::optional<std::string> configured =
        configured_preemption(read_kernel_config(system, name.release));
    const std::optional<std::string> debugfs = fact(system, "/sys/kernel/debug/sched/preempt");
    const std::optional<std::string_view> runtime =
        debugfs ? chosen(*debugfs) : std::optional<std::string_view>();
    const std::optional<std::string> command_line = fact(system, "/proc/cmdline");
    const std::optional<std::string> parameter =
        command_line ? command_line_value(*command_line, "preempt") : std::nullopt;

    // The sharpest evidence first: what is in force, what was asked for at boot, what was built.
    Json json = Json::object();
    const auto decide = [&](std::string_view model, std::string_view evidence) {
        if (!json.contains("model")) {
            json["model"] = std::string(model);
            json["evidence"] = std::string(evidence);
        }
    };
    if (system.read_integer("/sys/kernel/realtime") == 1) {
        decide("rt", "/sys/kernel/realtime");
    }
    if (in_version && in_version->starts_with("PREEMPT_RT")) {
        decide("rt", "kernel version string");
    }
    if (runtime) {
        decide(*runtime, "/sys/kernel/debug/sched/preempt");
    }
    const bool dynamic = in_version && in_version->find("DYNAMIC") != std::string::npos;
    if (dynamic && parameter) {
        decide(*parameter, "preempt= on the kernel command line");
    }
    if (configured) {
        decide(*configured, "kernel configuration");
    }
    if (in_version == "PREEMPT") {
        decide("full", "kernel version string");
    }
    put(json, "in_version", in_version);
    put(json, "configured", configured);
    put(json, "parameter", parameter);
    return json;
}

Json kernel_section(const SystemRoot& system, const KernelName& name) {
    Json json = Json::object();
    const auto text = [&](const char* key, const std::string& value) {
        if (!value.empty()) {
            json[key] = value;
        }
    };
    text("release", name.release);
    text("version", name.version);
    text("machine", name.machine);
    if (system.is_host()) {
        json["page_size_bytes"] = ::sysconf(_SC_PAGESIZE);
    }
    const std::optional<std::string> command_line = fact(system, "/proc/cmdline");
    put(json, "command_line", command_line);
    put(json, "preemption", preemption_section(system, name));
    if (const auto config = read_kernel_config(system, name.release)) {
        if (const auto hz = config->value("CONFIG_HZ")) {
            put(json, "hz", whole_number(*hz));
        }
        json["config"] = {{"source", config->source}, {"options", config->scheduling_options()}};
    }
    put(json, "tainted", system.read_integer("/proc/sys/kernel/tainted"));
    put(json, "mitigations", mitigations(system, command_line));
    return json;
}

}  // namespace bench::environment
