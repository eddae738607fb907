#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/affinity.h"
#include "common/environment_sections.h"
#include "common/environment_text.h"

namespace bench::environment {

namespace {

constexpr const char* kCpus = "/sys/devices/system/cpu";
constexpr std::size_t kLongestName = 256;

/// One CPU's part of /proc/cpuinfo.
struct CpuInfo {
    int cpu = 0;
    std::vector<std::pair<std::string_view, std::string_view>> fields;

    [[nodiscard]] std::optional<std::string_view> get(std::string_view key) const {
        for (const auto& [name, value] : fields) {
            if (name == key && value.size() <= kLongestName) {
                return value;
            }
        }
        return std::nullopt;
    }
};

/// s390 writes "processor 0: version = FF, ..."; everything else "processor : 0" and a block.
std::vector<CpuInfo> parse_cpuinfo(std::string_view text) {
    std::vector<CpuInfo> cpus;
    for (const std::string_view line : lines(text)) {
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) {
            continue;
        }
        const std::string_view key = trim(line.substr(0, colon));
        const std::string_view value = trim(line.substr(colon + 1));
        if (key == "processor") {
            if (const auto number = whole_number(value); number && *number >= 0) {
                cpus.push_back({static_cast<int>(*number), {}});
            }
        } else if (key.starts_with("processor ")) {
            if (const auto number = whole_number(trim(key.substr(10))); number && *number >= 0) {
                cpus.push_back({static_cast<int>(*number), {{"s390", value}}});
            }
        } else if (!cpus.empty()) {
            cpus.back().fields.emplace_back(key, value);
        }
    }
    return cpus;
}

/// What tells one kind of CPU from another, by architecture.
std::string model_name(const CpuInfo& info) {
    for (const char* key : {"model name", "Model Name", "cpu model", "uarch", "s390"}) {
        if (const auto value = info.get(key)) {
            return std::string(*value);
        }
    }
    if (const auto implementer = info.get("CPU implementer")) {
        std::string name = fmt::format("implementer {}", *implementer);
        for (const char* key : {"variant", "part", "revision"}) {
            if (const auto value = info.get(fmt::format("CPU {}", key))) {
                name += fmt::format(" {} {}", key, *value);
            }
        }
        return name;
    }
    return std::string(info.get("cpu").value_or(""));
}

void put_models(Json& json, const SystemRoot& system) {
    const std::optional<std::string> cpuinfo = system.read("/proc/cpuinfo").optional();
    if (!cpuinfo) {
        return;
    }
    CpuGroups models;
    CpuGroups microcode;
    for (const CpuInfo& info : parse_cpuinfo(*cpuinfo)) {
        if (std::string name = model_name(info); !name.empty()) {
            models.add(std::move(name), info.cpu);
        }
        if (const auto version = info.get("microcode")) {
            microcode.add(std::string(*version), info.cpu);
        }
    }
    put(json, "models", models.json());
    put(json, "microcode", microcode.json());
    for (const char* key : {"vendor_id", "machine", "Hardware", "Model"}) {
        const auto value = value_of(*cpuinfo, key);
        if (value && value->size() <= kLongestName) {
            json[key == std::string_view("vendor_id") ? "vendor" : "machine"] = *value;
        }
    }
}

}  // namespace

Json cpu_section(const SystemRoot& system) {
    Json json = Json::object();
    put_models(json, system);
    put(json, "online", online_cpus(system));
    put(json, "possible", possible_cpus(system));
    put(json, "present", cpu_list_fact(system, fmt::format("{}/present", kCpus)));
    put(json, "isolated", isolated_cpus(system));
    put(json, "nohz_full", cpu_list_fact(system, fmt::format("{}/nohz_full", kCpus)));
    if (const auto status = system.read("/proc/self/status")) {
        if (const auto list = value_of(*status, "Cpus_allowed_list")) {
            put(json, "allowed", CpuSet::parse(*list).optional());
        }
        if (const auto list = value_of(*status, "Mems_allowed_list")) {
            put(json, "allowed_nodes", CpuSet::parse(*list).optional());
        }
    }
    put(json, "smt_control", fact(system, fmt::format("{}/smt/control", kCpus)));
    put(json, "topology", topology_section(system));
    put(json, "frequency", frequency_section(system));
    Json idle = Json::object();
    put(idle, "driver", fact(system, fmt::format("{}/cpuidle/current_driver", kCpus)));
    const auto governor = fact(system, fmt::format("{}/cpuidle/current_governor", kCpus));
    put(idle, "governor",
        governor ? governor : fact(system, fmt::format("{}/cpuidle/current_governor_ro", kCpus)));
    put(json, "idle", std::move(idle));
    return json;
}

Json frequency_section(const SystemRoot& system) {
    static constexpr std::array<std::pair<const char*, const char*>, 5> kPerCpu = {
        {{"governors", "scaling_governor"},
         {"drivers", "scaling_driver"},
         {"energy_performance_preferences", "energy_performance_preference"},
         {"min_khz", "scaling_min_freq"},
         {"max_khz", "scaling_max_freq"}}};
    Json json = Json::object();
    const std::vector<int> cpus = numbered(system, kCpus, "cpu");
    for (const auto& [key, file] : kPerCpu) {
        CpuGroups groups;
        for (const int cpu : cpus) {
            auto value = fact(system, fmt::format("{}/cpu{}/cpufreq/{}", kCpus, cpu, file));
            if (value && !value->empty()) {
                groups.add(std::move(*value), cpu);
            }
        }
        put(json, key, groups.json());
    }
    // intel_pstate states the opposite of the others.
    const std::string no_turbo = fmt::format("{}/intel_pstate/no_turbo", kCpus);
    const std::string boost = fmt::format("{}/cpufreq/boost", kCpus);
    if (const auto off = system.read_integer(no_turbo)) {
        json["turbo"] = *off == 0;
        json["turbo_source"] = no_turbo;
    } else if (const auto on = system.read_integer(boost)) {
        json["turbo"] = *on != 0;
        json["turbo_source"] = boost;
    }
    put(json, "intel_pstate", fact(system, fmt::format("{}/intel_pstate/status", kCpus)));
    put(json, "amd_pstate", fact(system, fmt::format("{}/amd_pstate/status", kCpus)));
    return json;
}

}  // namespace bench::environment
