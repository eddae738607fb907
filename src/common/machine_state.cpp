#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "common/clock.h"
#include "common/environment.h"
#include "common/environment_sections.h"
#include "common/environment_text.h"

namespace bench {

namespace {

using namespace environment;

std::optional<double> decimal(std::string_view text) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
    return code == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

/// "0.20 0.18 0.12 1/80 11206"
void put_load(Json& json, const SystemRoot& system) {
    const auto text = fact(system, "/proc/loadavg");
    const std::vector<std::string_view> parts =
        text ? words(*text) : std::vector<std::string_view>();
    if (parts.size() < 4) {
        return;
    }
    Json load = Json::array();
    for (std::size_t i = 0; i < 3; ++i) {
        const auto value = decimal(parts[i]);
        if (!value) {
            return;
        }
        load.push_back(*value);
    }
    json["load_average"] = std::move(load);
}

void put_stat(Json& json, const SystemRoot& system) {
    const Result<std::string> stat = system.read("/proc/stat");
    if (!stat) {
        return;
    }
    const auto number = [&](std::string_view key) {
        const auto value = value_of(*stat, key, ' ');
        return value ? whole_number(*value) : std::nullopt;
    };
    // user nice system idle iowait irq softirq steal; guest time after them is in user already.
    constexpr std::size_t kIdle = 3;
    constexpr std::size_t kSteal = 7;
    const std::vector<std::string_view> fields =
        words(value_of(*stat, "cpu", ' ').value_or(std::string_view()));
    std::int64_t total = 0;
    bool whole = fields.size() > kIdle;
    for (std::size_t i = 0; i < std::min(fields.size(), kSteal + 1); ++i) {
        const auto jiffies = whole_number(fields[i]);
        whole = whole && jiffies && *jiffies >= 0 && *jiffies < (1LL << 56);
        total += whole ? *jiffies : 0;
    }
    if (whole) {
        json["total_jiffies"] = total;
        put(json, "idle_jiffies", whole_number(fields[kIdle]));
        if (fields.size() > kSteal) {
            put(json, "steal_jiffies", whole_number(fields[kSteal]));
        }
    }
    put(json, "context_switches", number("ctxt"));
    put(json, "forks", number("processes"));
    put(json, "runnable", number("procs_running"));
    put(json, "blocked", number("procs_blocked"));
}

/// "some avg10=1.55 avg60=0.89 avg300=0.39 total=6312491"
void put_pressure(Json& json, const SystemRoot& system) {
    const auto text = fact(system, "/proc/pressure/cpu");
    const auto some = text ? value_of(*text, "some", ' ') : std::nullopt;
    const auto total = some ? command_line_value(*some, "total") : std::nullopt;
    if (total) {
        put(json, "cpu_pressure_some_us", whole_number(*total));
    }
}

void put_frequency(Json& json, const SystemRoot& system) {
    constexpr const char* kCpus = "/sys/devices/system/cpu";
    std::optional<std::int64_t> least;
    std::optional<std::int64_t> most;
    for (const int cpu : numbered(system, kCpus, "cpu")) {
        const auto khz =
            system.read_integer(fmt::format("{}/cpu{}/cpufreq/scaling_cur_freq", kCpus, cpu));
        if (khz) {
            least = std::min(least.value_or(*khz), *khz);
            most = std::max(most.value_or(*khz), *khz);
        }
    }
    put(json, "lowest_khz", least);
    put(json, "highest_khz", most);
}

}  // namespace

Json capture_state(const SystemRoot& system) {
    Json json = Json::object();
    if (system.is_host()) {
        json["monotonic_ns"] = MonotonicClock::now().time_since_epoch().count();
        json["suspended_ns"] = suspended_time().count();
        const ClockQuality quality = measure_clock();
        json["clock_cost_ns"] = quality.cost.count();
        json["clock_smallest_step_ns"] = quality.smallest_step.count();
    }
    put_load(json, system);
    put_stat(json, system);
    put_pressure(json, system);
    if (const auto meminfo = system.read("/proc/meminfo")) {
        if (const auto available = value_of(*meminfo, "MemAvailable")) {
            const std::vector<std::string_view> parts = words(*available);
            if (parts.size() == 2 && parts[1] == "kB") {
                put(json, "memory_available_kib", whole_number(parts[0]));
            }
        }
    }
    put_frequency(json, system);
    put(json, "clock_source",
        fact(system, "/sys/devices/system/clocksource/clocksource0/current_clocksource"));
    put(json, "sched_ext", sched_ext_section(system));
    put(json, "throttling", throttling_section(system));
    return json;
}

}  // namespace bench
