#include <fmt/format.h>

#include <algorithm>

#include "common/cgroup_location.h"
#include "common/environment_sections.h"
#include "common/environment_text.h"

namespace bench::environment {

namespace {

/// CPU time a group may have in each period; quota absent: unlimited.
struct Bandwidth {
    std::optional<std::int64_t> quota_us;
    std::int64_t period_us = 0;
};

/// nullopt: the group has no such setting (the root), or it can't be read.
std::optional<Bandwidth> read_bandwidth(const SystemRoot& system, const CgroupHierarchy& group,
                                        const std::string& folder) {
    std::optional<std::int64_t> quota;
    std::optional<std::int64_t> period;
    if (group.v2) {
        const auto text = fact(system, folder + "/cpu.max");
        const std::vector<std::string_view> parts =
            text ? words(*text) : std::vector<std::string_view>();
        if (parts.size() != 2) {
            return std::nullopt;
        }
        quota = parts[0] == "max" ? -1 : whole_number(parts[0]);
        period = whole_number(parts[1]);
    } else {
        quota = system.read_integer(folder + "/cpu.cfs_quota_us");
        period = system.read_integer(folder + "/cpu.cfs_period_us");
    }
    if (!quota || !period || *period <= 0) {
        return std::nullopt;
    }
    return Bandwidth{*quota < 0 ? std::nullopt : quota, *period};
}

double cpus_of(const Bandwidth& bandwidth) {
    return static_cast<double>(*bandwidth.quota_us) / static_cast<double>(bandwidth.period_us);
}

/// The folder as a group's path: without the mount.
std::string group_name(const CgroupHierarchy& group, const std::string& folder) {
    const std::string name = folder.substr(group.mount->size());
    return name.empty() ? "/" : name;
}

/// The tightest quota of the group and all above it that can be seen.
Json quota_json(const SystemRoot& system, const CgroupHierarchy& group) {
    Json json = Json::object();
    double tightest = 0;
    for (const std::string& folder : cgroup_ancestry(group)) {
        const auto bandwidth = read_bandwidth(system, group, folder);
        if (!bandwidth) {
            continue;
        }
        if (!bandwidth->quota_us) {
            if (json.empty()) {
                json["limited"] = false;
            }
            continue;
        }
        const double cpus = cpus_of(*bandwidth);
        if (!json.value("limited", false) || cpus < tightest) {
            tightest = cpus;
            json = {{"limited", true},
                    {"cpus", cpus},
                    {"quota_us", *bandwidth->quota_us},
                    {"period_us", bandwidth->period_us},
                    {"group", group_name(group, folder)}};
        }
    }
    return json;
}

Json cpu_json(const SystemRoot& system, const CgroupHierarchy& group) {
    Json json = {{"version", group.v2 ? "v2" : "v1"}, {"path", group.path}};
    put(json, "folder", group.folder);
    put(json, "is_root", is_root_cgroup(system, group));
    put(json, "quota", quota_json(system, group));
    if (!group.folder) {
        return json;
    }
    const std::string& folder = *group.folder;
    if (group.v2) {
        put(json, "weight", system.read_integer(folder + "/cpu.weight"));
    } else {
        put(json, "shares", system.read_integer(folder + "/cpu.shares"));
        // A budget of 0 makes real-time policies fail with EPERM, for root too.
        put(json, "rt_runtime_us", system.read_integer(folder + "/cpu.rt_runtime_us"));
        put(json, "rt_period_us", system.read_integer(folder + "/cpu.rt_period_us"));
    }
    put(json, "idle", system.read_integer(folder + "/cpu.idle"));
    return json;
}

std::optional<CpuSet> cpuset_of(const SystemRoot& system, const CgroupHierarchy& group) {
    if (!group.folder) {
        return std::nullopt;
    }
    for (const char* file :
         {"/cpuset.cpus.effective", "/cpuset.effective_cpus", "/cpuset.cpus", "/cpus"}) {
        if (auto cpus = cpu_list_fact(system, *group.folder + file)) {
            return cpus;
        }
    }
    return std::nullopt;
}

/// The least pids.max of our group and those above; "max" when none limits.
Json pids_max(const SystemRoot& system, const CgroupHierarchy& group) {
    Json least;
    for (const std::string& folder : cgroup_ancestry(group)) {
        const auto text = fact(system, folder + "/pids.max");
        const auto number = text ? whole_number(*text) : std::nullopt;
        if (number && (!least.is_number() || *number < least.get<std::int64_t>())) {
            least = *number;
        } else if (text == "max" && least.is_null()) {
            least = "max";
        }
    }
    return least;
}

/// What kind of set-up the hierarchies make.
std::string_view mode(const std::vector<CgroupHierarchy>& hierarchies) {
    bool v1 = false;
    bool v2 = false;
    for (const CgroupHierarchy& hierarchy : hierarchies) {
        if (hierarchy.v2) {
            v2 = v2 || hierarchy.mount.has_value();
        } else {
            v1 = v1 || !hierarchy.controllers.front().starts_with("name=");
        }
    }
    return v1 ? (v2 ? "hybrid" : "v1") : "v2";
}

}  // namespace

Json cgroup_section(const SystemRoot& system) {
    Json json = Json::object();
    const std::vector<CgroupHierarchy> hierarchies = cgroup_hierarchies(system);
    if (hierarchies.empty()) {
        return json;
    }
    json["mode"] = std::string(mode(hierarchies));
    Json paths = Json::object();
    for (const CgroupHierarchy& hierarchy : hierarchies) {
        paths[hierarchy.v2 ? "v2" : fmt::format("{}", fmt::join(hierarchy.controllers, ","))] =
            hierarchy.path;
    }
    json["paths"] = std::move(paths);
    if (const auto cpu = find_cgroup(system, "cpu")) {
        json["cpu"] = cpu_json(system, *cpu);
    }
    if (const auto cpuset = find_cgroup(system, "cpuset")) {
        put(json, "cpuset", cpuset_of(system, *cpuset));
    }
    if (const auto pids = find_cgroup(system, "pids")) {
        put(json, "pids_max", pids_max(system, *pids));
    }
    return json;
}

Json throttling_section(const SystemRoot& system) {
    Json json = Json::array();
    const auto group = find_cgroup(system, "cpu");
    if (!group) {
        return json;
    }
    for (const std::string& folder : cgroup_ancestry(*group)) {
        const auto stat = system.read(folder + "/cpu.stat");
        if (!stat) {
            continue;
        }
        // "nr_throttled 12", "throttled_usec 3400" (v2) or "throttled_time 3400000" in ns (v1).
        const auto number = [&](std::string_view key) {
            const auto value = value_of(*stat, key, ' ');
            return value ? whole_number(*value) : std::nullopt;
        };
        const auto count = number("nr_throttled");
        if (!count) {
            continue;
        }
        Json entry = {{"group", group_name(*group, folder)}, {"nr_throttled", *count}};
        put(entry, "nr_periods", number("nr_periods"));
        if (const auto microseconds = number("throttled_usec")) {
            entry["throttled_ns"] = *microseconds * 1000;
        } else {
            put(entry, "throttled_ns", number("throttled_time"));
        }
        const auto bandwidth = read_bandwidth(system, *group, folder);
        if (bandwidth && bandwidth->quota_us) {
            entry["quota_cpus"] = cpus_of(*bandwidth);
        }
        json.push_back(std::move(entry));
    }
    return json;
}

}  // namespace bench::environment
