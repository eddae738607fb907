#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cstring>

#include "common/clock.h"
#include "common/environment_sections.h"
#include "common/environment_text.h"
#include "common/sched_policy.h"
#include "common/tool_version.h"

namespace bench::environment {

namespace {

constexpr const char* kClockSource = "/sys/devices/system/clocksource/clocksource0/";

/// "123 kB" of /proc/meminfo.
std::optional<std::int64_t> kibibytes(std::string_view meminfo, std::string_view key) {
    const auto value = value_of(meminfo, key);
    const std::vector<std::string_view> parts =
        value ? words(*value) : std::vector<std::string_view>();
    return parts.size() == 2 && parts[1] == "kB" ? whole_number(parts[0]) : std::nullopt;
}

}  // namespace

Json timing_section(const SystemRoot& system) {
    Json json = Json::object();
    put(json, "clock_source", fact(system, fmt::format("{}current_clocksource", kClockSource)));
    put(json, "clock_sources_available",
        fact(system, fmt::format("{}available_clocksource", kClockSource)));
    if (system.is_host()) {
        const ClockQuality quality = measure_clock();
        json["clock"] = {{"name", quality.name}, {"resolution_ns", quality.resolution.count()}};
        json["timer_slack_ns"] = timer_slack_ns();
    } else {
        put(json, "timer_slack_ns", system.read_integer("/proc/self/timerslack_ns"));
    }
    put(json, "timer_migration", system.read_integer("/proc/sys/kernel/timer_migration"));
    return json;
}

Json memory_section(const SystemRoot& system) {
    Json json = Json::object();
    if (const auto meminfo = system.read("/proc/meminfo")) {
        put(json, "total_kib", kibibytes(*meminfo, "MemTotal"));
        put(json, "swap_total_kib", kibibytes(*meminfo, "SwapTotal"));
    }
    if (const auto pages = fact(system, "/sys/kernel/mm/transparent_hugepage/enabled")) {
        if (const auto choice = chosen(*pages)) {
            json["transparent_hugepages"] = std::string(*choice);
        }
    }
    put(json, "numa_balancing", system.read_integer("/proc/sys/kernel/numa_balancing"));
    return json;
}

Json tool_section() {
    return {{"version", tool_version().version},
            {"revision", tool_version().revision},
            {"compiler", tool_version().compiler},
            {"build_type", tool_version().build_type},
            {"zlib", {{"compiled", ZLIB_VERSION}, {"running", ::zlibVersion()}}}};
}

}  // namespace bench::environment
