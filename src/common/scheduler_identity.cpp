#include <fmt/format.h>

#include <array>
#include <utility>

#include "common/environment.h"
#include "common/environment_sections.h"
#include "common/environment_text.h"
#include "common/kernel_config.h"
#include "common/kernel_log.h"

namespace bench {

namespace {

using environment::whole_number;

constexpr const char* kSysctls = "/proc/sys/kernel/";

struct Release {
    std::int64_t major = 0, minor = 0, patch = 0;
    auto operator<=>(const Release&) const = default;
};

/// The numbers at the front of "6.6.0-rc1-foo".
std::optional<Release> parse_release(std::string_view text) {
    std::array<std::int64_t, 3> numbers{};
    std::size_t count = 0;
    for (; count < numbers.size(); ++count) {
        const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
        const std::optional<std::int64_t> number = whole_number(text.substr(0, end));
        if (!number) {
            break;
        }
        numbers.at(count) = *number;
        text.remove_prefix(end);
        if (!text.starts_with('.')) {
            ++count;
            break;
        }
        text.remove_prefix(1);
    }
    if (count < 2) {
        return std::nullopt;
    }
    return Release{numbers[0], numbers[1], numbers[2]};
}

SchedulerIdentity by_version(std::string_view release) {
    const std::optional<Release> version = parse_release(release);
    if (!version || *version < Release{2, 6, 0}) {
        return {};
    }
    const char* name = *version >= Release{6, 6, 0}    ? "EEVDF"
                       : *version >= Release{2, 6, 23} ? "CFS"
                                                       : "O(1)";
    return {name, fmt::format("kernel version {}", release)};
}

/// The mainline fair class. Vendors put EEVDF into older kernels, so its own knobs go before the
/// version.
SchedulerIdentity mainline(const SystemRoot& system, std::string_view release) {
    constexpr const char* kSlice = "/sys/kernel/debug/sched/base_slice_ns";
    if (system.exists(kSlice)) {
        return {"EEVDF", kSlice};
    }
    for (const char* latency :
         {"/sys/kernel/debug/sched/latency_ns", "/proc/sys/kernel/sched_latency_ns"}) {
        if (system.exists(latency)) {
            return {"CFS", latency};
        }
    }
    return by_version(release);
}

SchedulerIdentity by_config(const std::optional<KernelConfig>& config) {
    static constexpr std::array<std::pair<const char*, const char*>, 5> kOptions = {
        {{"CONFIG_SCHED_MUQSS", "MuQSS"},
         {"CONFIG_SCHED_PDS", "PDS"},
         {"CONFIG_SCHED_BMQ", "BMQ"},
         {"CONFIG_SCHED_BFS", "BFS"},
         {"CONFIG_SCHED_BORE", "BORE"}}};
    if (config) {
        for (const auto& [option, name] : kOptions) {
            if (config->is_set(option)) {
                return {name, fmt::format("{}=y in {}", option, config->source)};
            }
        }
    }
    return {};
}

/// The line in which each of them announces itself at boot.
SchedulerIdentity by_log(const SystemRoot& system, std::string_view release) {
    static constexpr std::array<std::pair<std::string_view, const char*>, 6> kLines = {
        {{"MuQSS CPU scheduler v", "MuQSS"},
         {"PDS CPU Scheduler ", "PDS"},
         {"PDS-mq CPU Scheduler ", "PDS"},
         {"BMQ CPU Scheduler ", "BMQ"},
         {"BFS CPU scheduler v", "BFS"},
         {"BORE (Burst-Oriented Response Enhancer)", "BORE"}}};
    const std::optional<std::string> log = read_kernel_log(system, release);
    if (!log) {
        return {};
    }
    for (const std::string_view line : environment::lines(*log)) {
        std::string_view message = log_message(line);
        for (const std::string_view prefix : {"sched/pds: ", "sched/bmq: ", "sched/alt: "}) {
            if (message.starts_with(prefix)) {
                message.remove_prefix(prefix.size());
            }
        }
        for (const auto& [start, name] : kLines) {
            if (message.starts_with(start)) {
                return {name, fmt::format("kernel log: {}", message.substr(0, 120))};
            }
        }
    }
    return {};
}

SchedulerIdentity bore(const SystemRoot& system, std::string_view release) {
    const std::string path = fmt::format("{}sched_bore", kSysctls);
    if (!system.exists(path)) {
        return {};
    }
    const std::optional<std::int64_t> value = system.read_integer(path);
    if (value != 0) {
        return {"BORE", value ? fmt::format("{} = {}", path, *value) : path};
    }
    // Switched off, the patch leaves the mainline scheduler it stands on.
    SchedulerIdentity off = mainline(system, release);
    off.evidence = fmt::format("{} = 0, {}", path, off.evidence);
    return off;
}

}  // namespace

SchedulerIdentity detect_scheduler(const SystemRoot& system, std::string_view kernel_release) {
    const auto has = [&](std::string_view name) {
        return system.exists(fmt::format("{}{}", kSysctls, name));
    };
    const Json ext = environment::sched_ext_section(system);
    if (ext.value("state", "") == "enabled") {
        const std::string ops = ext.value("ops", "");
        return {ops.empty() ? "sched_ext" : "sched_ext:" + ops, "/sys/kernel/sched_ext/state"};
    }
    if (SchedulerIdentity found = bore(system, kernel_release); !found.evidence.empty()) {
        return found;
    }
    // The alternatives share sysctls, so what names one outright goes first.
    if (SchedulerIdentity found = by_config(read_kernel_config(system, kernel_release));
        !found.name.empty()) {
        return found;
    }
    if (SchedulerIdentity found = by_log(system, kernel_release); !found.name.empty()) {
        return found;
    }
    if (has("rr_interval") && has("interactive")) {
        return {"MuQSS", fmt::format("{0}rr_interval and {0}interactive", kSysctls)};
    }
    if (has("rr_interval") || has("iso_cpu")) {
        return {"BFS",
                fmt::format("{}{}", kSysctls, has("rr_interval") ? "rr_interval" : "iso_cpu")};
    }
    if (has("yield_type")) {
        return {"BMQ/PDS",
                fmt::format("{}yield_type (neither configuration nor log tells which)", kSysctls)};
    }
    return mainline(system, kernel_release);
}

namespace environment {

Json sched_ext_section(const SystemRoot& system) {
    Json json = Json::object();
    put(json, "state", fact(system, "/sys/kernel/sched_ext/state"));
    put(json, "ops", fact(system, "/sys/kernel/sched_ext/root/ops"));
    put(json, "switch_all", system.read_integer("/sys/kernel/sched_ext/switch_all"));
    // Grows with every scheduler loaded: a change within a cell that both ends can't show.
    put(json, "enable_seq", system.read_integer("/sys/kernel/sched_ext/enable_seq"));
    return json;
}

Json scheduler_section(const SystemRoot& system, std::string_view release) {
    constexpr std::size_t kLongestTunable = 4096;
    Json json = Json::object();
    const SchedulerIdentity identity = detect_scheduler(system, release);
    if (!identity.name.empty()) {
        json["name"] = identity.name;
        json["evidence"] = identity.evidence;
    }
    put(json, "sched_ext", sched_ext_section(system));

    Json throttling = Json::object();
    put(throttling, "runtime_us", system.read_integer("/proc/sys/kernel/sched_rt_runtime_us"));
    put(throttling, "period_us", system.read_integer("/proc/sys/kernel/sched_rt_period_us"));
    put(json, "rt_throttling", std::move(throttling));

    Json sysctls = Json::object();
    for (const std::string& name : system.list(kSysctls)) {
        const bool of_scheduler = name.starts_with("sched_") || name == "yield_type" ||
                                  name == "rr_interval" || name == "interactive" ||
                                  name == "iso_cpu";
        const auto value = of_scheduler ? fact(system, kSysctls + name) : std::nullopt;
        if (value && value->size() <= kLongestTunable) {
            sysctls[name] = *value;
        }
    }
    put(json, "sysctls", std::move(sysctls));

    Json debug = Json::object();
    for (const std::string& name : system.list("/sys/kernel/debug/sched")) {
        // "debug" is the state of every run queue, not a setting.
        const auto value =
            name == "debug" ? std::nullopt : fact(system, "/sys/kernel/debug/sched/" + name);
        if (value && value->size() <= kLongestTunable) {
            debug[name] = *value;
        }
    }
    put(debug, "features",
        fact(system, debug.contains("features") ? "/sys/kernel/debug/sched/features"
                                                : "/sys/kernel/debug/sched_features"));
    put(json, "debugfs", std::move(debug));
    return json;
}

}  // namespace environment
}  // namespace bench
