#include <fmt/format.h>

#include <array>
#include <charconv>

#include "common/environment_sections.h"
#include "common/environment_text.h"

namespace bench::environment {

namespace {

/// "unlimited" or a number; null for anything else.
Json limit_value(std::string_view text) {
    if (text == "unlimited") {
        return "unlimited";
    }
    const auto number = whole_number(text);
    return number ? Json(*number) : Json();
}

Json resource_limits(const SystemRoot& system) {
    static constexpr std::array<std::pair<std::string_view, const char*>, 5> kLimits = {
        {{"Max open files", "open_files"},
         {"Max processes", "processes"},
         {"Max realtime priority", "realtime_priority"},
         {"Max nice priority", "nice_priority"},
         {"Max locked memory", "locked_memory_bytes"}}};
    Json json = Json::object();
    const Result<std::string> text = system.read("/proc/self/limits");
    if (!text) {
        return json;
    }
    for (const std::string_view line : lines(*text)) {
        for (const auto& [name, key] : kLimits) {
            if (!line.starts_with(name)) {
                continue;
            }
            const std::vector<std::string_view> values = words(line.substr(name.size()));
            if (values.size() < 2) {
                continue;
            }
            Json soft = limit_value(values[0]);
            Json hard = limit_value(values[1]);
            if (!soft.is_null() && !hard.is_null()) {
                json[key] = {{"soft", std::move(soft)}, {"hard", std::move(hard)}};
            }
        }
    }
    return json;
}

Json capabilities(std::string_view hex) {
    // Those on which a measurement of scheduling can hang.
    static constexpr std::array<std::pair<unsigned, const char*>, 8> kNames = {
        {{6, "setgid"},
         {7, "setuid"},
         {14, "ipc_lock"},
         {21, "sys_admin"},
         {23, "sys_nice"},
         {24, "sys_resource"},
         {38, "perfmon"},
         {39, "bpf"}}};
    std::uint64_t bits = 0;
    const auto [stop, code] = std::from_chars(hex.data(), hex.data() + hex.size(), bits, 16);
    if (code != std::errc() || stop != hex.data() + hex.size()) {
        return Json::object();
    }
    Json names = Json::array();
    for (const auto& [bit, name] : kNames) {
        if ((bits >> bit & 1U) != 0) {
            names.push_back(name);
        }
    }
    return {{"effective", std::string(hex)}, {"names", std::move(names)}};
}

}  // namespace

Json limits_section(const SystemRoot& system) {
    Json json = Json::object();
    put(json, "resources", resource_limits(system));
    if (const auto status = system.read("/proc/self/status")) {
        if (const auto hex = value_of(*status, "CapEff")) {
            put(json, "capabilities", capabilities(*hex));
        }
        // Real, effective, saved, file system: the effective one decides.
        if (const auto ids = value_of(*status, "Uid")) {
            const std::vector<std::string_view> numbers = words(*ids);
            if (numbers.size() >= 2) {
                put(json, "uid", whole_number(numbers[1]));
            }
        }
    }
    put(json, "threads_max", system.read_integer("/proc/sys/kernel/threads-max"));
    put(json, "pid_max", system.read_integer("/proc/sys/kernel/pid_max"));
    return json;
}

Json autogroup_section(const SystemRoot& system) {
    Json json = Json::object();
    if (const auto on = system.read_integer("/proc/sys/kernel/sched_autogroup_enabled")) {
        json["enabled"] = *on != 0;
    }
    // "/autogroup-6 nice 0"
    if (const auto text = fact(system, "/proc/self/autogroup")) {
        const std::vector<std::string_view> parts = words(*text);
        if (parts.size() == 3 && parts[1] == "nice") {
            json["group"] = std::string(parts[0]);
            put(json, "nice", whole_number(parts[2]));
        }
    }
    return json;
}

}  // namespace bench::environment
