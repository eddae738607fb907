#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "common/environment_sections.h"
#include "common/environment_text.h"

namespace bench::environment {

namespace {

constexpr const char* kCpus = "/sys/devices/system/cpu";
constexpr const char* kNodes = "/sys/devices/system/node";

/// CPUs that differ by less than this are one class: favoured cores run a few percent faster.
constexpr std::int64_t kClassPercent = 90;

struct CoreClass {
    std::vector<int> cpus;
    std::int64_t highest = 0;
    std::int64_t lowest = 0;
};

/// Splits CPUs into classes by a figure, fastest first.
std::vector<CoreClass> classes_by(const std::map<int, std::int64_t>& figures) {
    std::map<std::int64_t, std::vector<int>, std::greater<>> by_figure;
    for (const auto& [cpu, figure] : figures) {
        by_figure[figure].push_back(cpu);
    }
    std::vector<CoreClass> classes;
    for (const auto& [figure, cpus] : by_figure) {
        // Divided, not multiplied: a file may hold any number.
        if (classes.empty() || figure < classes.back().highest / 100 * kClassPercent) {
            classes.push_back({{}, figure, figure});
        }
        classes.back().cpus.insert(classes.back().cpus.end(), cpus.begin(), cpus.end());
        classes.back().lowest = figure;
    }
    return classes;
}

Json classes_by_file(const SystemRoot& system, const std::vector<int>& cpus, const char* file,
                     const char* name) {
    std::map<int, std::int64_t> figures;
    for (const int cpu : cpus) {
        const auto figure = system.read_integer(fmt::format("{}/cpu{}/{}", kCpus, cpu, file));
        if (figure && *figure > 0) {
            figures[cpu] = *figure;
        }
    }
    Json json = Json::array();
    for (const CoreClass& core_class : classes_by(figures)) {
        Json entry = {{"cpus", CpuSet(core_class.cpus).to_list()},
                      {"by", name},
                      {"value", core_class.highest}};
        if (core_class.lowest != core_class.highest) {
            entry["lowest"] = core_class.lowest;
        }
        json.push_back(std::move(entry));
    }
    return json;
}

/// The kernel's own word where it has one (hybrid Intel), else capacity, else top frequency.
Json core_classes(const SystemRoot& system, const std::vector<int>& cpus) {
    Json named = Json::array();
    for (const char* name : {"core", "atom", "lowpower"}) {
        const auto list = cpu_list_fact(system, fmt::format("/sys/devices/cpu_{}/cpus", name));
        if (list && !list->empty()) {
            named.push_back({{"cpus", list->to_list()},
                             {"by", fmt::format("/sys/devices/cpu_{}", name)},
                             {"value", name}});
        }
    }
    if (!named.empty()) {
        return named;
    }
    Json capacity = classes_by_file(system, cpus, "cpu_capacity", "cpu_capacity");
    if (capacity.size() > 1) {
        return capacity;
    }
    // Without hardware that tells, every CPU has capacity 1024: the frequencies may know better.
    Json frequency = classes_by_file(system, cpus, "cpufreq/cpuinfo_max_freq", "cpuinfo_max_freq");
    return frequency.size() > 1 || capacity.empty() ? frequency : capacity;
}

}  // namespace

Json topology_section(const SystemRoot& system) {
    const std::vector<int> cpus = numbered(system, kCpus, "cpu");
    CpuGroups siblings;
    std::map<std::int64_t, std::vector<int>> packages;
    for (const int cpu : cpus) {
        const std::string folder = fmt::format("{}/cpu{}/topology/", kCpus, cpu);
        // Renamed in 5.3; older kernels know the second name alone.
        auto set = cpu_list_fact(system, folder + "core_cpus_list");
        if (!set) {
            set = cpu_list_fact(system, folder + "thread_siblings_list");
        }
        if (set && set->contains(cpu)) {
            siblings.add(set->to_list(), cpu);
        }
        if (const auto package = system.read_integer(folder + "physical_package_id")) {
            packages[*package].push_back(cpu);
        }
    }
    Json json = Json::object();
    if (!siblings.groups().empty()) {
        json["cores"] = siblings.groups().size();
        Json sets = Json::array();
        for (const auto& [list, members] : siblings.groups()) {
            if (list.find_first_of(",-") != std::string::npos) {
                sets.push_back(list);
            }
        }
        put(json, "smt_siblings", std::move(sets));
    }
    Json package_json = Json::object();
    for (const auto& [package, members] : packages) {
        package_json[std::to_string(package)] = CpuSet(members).to_list();
    }
    put(json, "packages", std::move(package_json));
    Json nodes = Json::object();
    for (const int node : numbered(system, kNodes, "node")) {
        put(nodes, std::to_string(node),
            cpu_list_fact(system, fmt::format("{}/node{}/cpulist", kNodes, node)));
    }
    put(json, "numa_nodes", std::move(nodes));
    put(json, "core_classes", core_classes(system, cpus));
    return json;
}

}  // namespace bench::environment
