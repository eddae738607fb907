#include <fmt/format.h>

#include <optional>

#include "common/environment.h"
#include "common/units.h"

namespace bench {

namespace {

/// The share of CPU time that a hypervisor may take before the figures are doubtful.
constexpr double kStealLimit = 0.01;
/// Two clocks can't be read at once: what looks like sleep below this is the reading.
constexpr std::int64_t kShortestSuspendNs = 1'000'000;

// A state may come from a file that someone edited: keys of another type count as absent.
std::optional<std::int64_t> integer(const Json& json, const char* key) {
    const auto found = json.is_object() ? json.find(key) : json.end();
    if (!json.is_object() || found == json.end() || !found->is_number_integer()) {
        return std::nullopt;
    }
    return found->get<std::int64_t>();
}

std::optional<std::string> text(const Json& json, const char* key) {
    const auto found = json.is_object() ? json.find(key) : json.end();
    if (!json.is_object() || found == json.end() || !found->is_string()) {
        return std::nullopt;
    }
    return found->get<std::string>();
}

const Json& member(const Json& json, const char* key) {
    static const Json kNone;
    if (!json.is_object()) {
        return kNone;
    }
    const auto found = json.find(key);
    return found == json.end() ? kNone : *found;
}

/// How much a counter grew; nullopt when either reading is missing.
std::optional<std::int64_t> growth(const Json& before, const Json& after, const char* key) {
    const auto from = integer(before, key);
    const auto to = integer(after, key);
    return from && to ? std::optional(*to - *from) : std::nullopt;
}

void add_steal(std::vector<std::string>& taints, const Json& before, const Json& after) {
    const auto steal = growth(before, after, "steal_jiffies");
    const auto total = growth(before, after, "total_jiffies");
    if (!steal || !total || *total <= 0) {
        return;
    }
    const double share = static_cast<double>(*steal) / static_cast<double>(*total);
    // A counter that grew by one jiffy may stand for any moment: in a cell under a second that
    // alone would be over the limit.
    if (*steal > 1 && share > kStealLimit) {
        taints.push_back(
            fmt::format("the hypervisor took {:.1f} % of the CPU time (steal; more than {:.0f} % "
                        "makes figures doubtful)",
                        share * 100, kStealLimit * 100));
    }
}

void add_throttling(std::vector<std::string>& taints, const Json& before, const Json& after) {
    for (const Json& now : member(after, "throttling")) {
        const auto group = text(now, "group");
        for (const Json& then : member(before, "throttling")) {
            const auto times = growth(then, now, "nr_throttled");
            if (!group || text(then, "group") != group || !times || *times <= 0) {
                continue;
            }
            std::string taint =
                fmt::format("the CPU quota of cgroup {} stopped it {} times", *group, *times);
            if (const auto time = growth(then, now, "throttled_ns")) {
                taint += fmt::format(" for {}", format_duration_human(Duration(*time)));
            }
            const Json& quota = member(now, "quota_cpus");
            if (quota.is_number()) {
                taint += fmt::format(" (quota: {} CPUs)", quota.get<double>());
            }
            taints.push_back(std::move(taint));
        }
    }
}

std::string sched_ext_text(const Json& ext) {
    const std::string state = text(ext, "state").value_or("absent");
    const auto ops = text(ext, "ops");
    return ops && !ops->empty() ? fmt::format("{} ({})", state, *ops) : state;
}

void add_sched_ext(std::vector<std::string>& taints, const Json& before, const Json& after) {
    const Json& then = member(before, "sched_ext");
    const Json& now = member(after, "sched_ext");
    if (!text(then, "state") && !text(now, "state")) {
        return;
    }
    if (sched_ext_text(then) != sched_ext_text(now)) {
        taints.push_back(fmt::format("sched_ext changed during the cell: {} before, {} after",
                                     sched_ext_text(then), sched_ext_text(now)));
    } else if (growth(then, now, "enable_seq").value_or(0) != 0) {
        taints.push_back(fmt::format("a sched_ext scheduler was loaded during the cell ({})",
                                     sched_ext_text(now)));
    }
}

}  // namespace

std::vector<std::string> state_taints(const Json& before, const Json& after) {
    std::vector<std::string> taints;
    add_steal(taints, before, after);
    add_throttling(taints, before, after);
    add_sched_ext(taints, before, after);
    const auto asleep = growth(before, after, "suspended_ns");
    if (asleep && *asleep >= kShortestSuspendNs) {
        taints.push_back(fmt::format("the machine was suspended for {} during the cell",
                                     format_duration_human(Duration(*asleep))));
    }
    const auto clock_then = text(before, "clock_source");
    const auto clock_now = text(after, "clock_source");
    if (clock_then && clock_now && clock_then != clock_now) {
        taints.push_back(fmt::format("the kernel changed its clock source from {} to {}",
                                     *clock_then, *clock_now));
    }
    return taints;
}

}  // namespace bench
