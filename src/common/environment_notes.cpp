#include <fmt/format.h>

#include <optional>

#include "common/environment.h"

namespace bench {

namespace {

/// What lies at `path` ("/cpu/isolated"); null when it is absent.
const Json& at(const Json& json, const char* path) {
    static const Json kNone;
    const Json::json_pointer pointer(path);
    return json.contains(pointer) ? json.at(pointer) : kNone;
}

std::optional<CpuSet> cpu_list(const Json& json) {
    return json.is_string() ? CpuSet::parse(json.get_ref<const std::string&>()).optional()
                            : std::nullopt;
}

void note_core_classes(std::vector<std::string>& notes, const Json& environment,
                       const CpuSet& cpus) {
    std::vector<std::string> classes;
    for (const Json& entry : at(environment, "/cpu/topology/core_classes")) {
        const auto members = cpu_list(at(entry, "/cpus"));
        const CpuSet used = members ? members->intersection(cpus) : CpuSet();
        if (used.empty()) {
            continue;
        }
        const Json& by = at(entry, "/by");
        const Json& value = at(entry, "/value");
        classes.push_back(fmt::format("{} ({}{})", used.to_list(),
                                      by.is_string() ? by.get<std::string>() : "",
                                      value.is_number() ? " " + value.dump() : ""));
    }
    if (classes.size() > 1) {
        notes.push_back(fmt::format(
            "CPUs of different core classes are mixed: {}; results depend on where a task lands",
            fmt::join(classes, ", ")));
    }
}

void note_siblings(std::vector<std::string>& notes, const Json& environment, const CpuSet& cpus) {
    std::vector<int> missing;
    std::vector<int> used;
    for (const Json& entry : at(environment, "/cpu/topology/smt_siblings")) {
        const CpuSet set = cpu_list(entry).value_or(CpuSet());
        const CpuSet inside = set.intersection(cpus);
        if (!inside.empty() && inside.size() < set.size()) {
            const CpuSet outside = set.minus(cpus);
            used.insert(used.end(), inside.cpus().begin(), inside.cpus().end());
            missing.insert(missing.end(), outside.cpus().begin(), outside.cpus().end());
        }
    }
    if (!missing.empty()) {
        notes.push_back(fmt::format(
            "SMT siblings are split: CPUs {} share their cores with CPUs {}, where others may run",
            CpuSet(std::move(used)).to_list(), CpuSet(std::move(missing)).to_list()));
    }
}

void note_isolated(std::vector<std::string>& notes, const Json& environment, const CpuSet& cpus) {
    const CpuSet isolated =
        cpu_list(at(environment, "/cpu/isolated")).value_or(CpuSet()).intersection(cpus);
    if (!isolated.empty()) {
        notes.push_back(fmt::format(
            "CPUs {} are isolated: the kernel does not balance tasks between them, and workers "
            "that are not pinned may pile up on one",
            isolated.to_list()));
    }
}

void note_governors(std::vector<std::string>& notes, const Json& environment, const CpuSet& cpus) {
    const Json& governors = at(environment, "/cpu/frequency/governors");
    if (!governors.is_object()) {
        return;
    }
    std::vector<std::string> differing;
    for (const auto& [governor, list] : governors.items()) {
        const CpuSet used = cpu_list(list).value_or(CpuSet()).intersection(cpus);
        if (!used.empty()) {
            differing.push_back(fmt::format("{} on CPUs {}", governor, used.to_list()));
        }
    }
    if (differing.size() > 1) {
        notes.push_back(fmt::format("frequency governors differ: {}", fmt::join(differing, ", ")));
    }
}

void note_quota(std::vector<std::string>& notes, const Json& environment, const CpuSet& cpus) {
    const Json& quota = at(environment, "/cgroup/cpu/quota/cpus");
    if (quota.is_number() && quota.get<double>() < static_cast<double>(cpus.size())) {
        const Json& group = at(environment, "/cgroup/cpu/quota/group");
        notes.push_back(fmt::format(
            "the CPU quota of cgroup {} allows {} CPUs, fewer than the {} in use: expect "
            "throttling",
            group.is_string() ? group.get<std::string>() : "?", quota.get<double>(), cpus.size()));
    }
}

}  // namespace

std::vector<std::string> environment_notes(const Json& environment, const CpuSet& cpus) {
    std::vector<std::string> notes;
    note_core_classes(notes, environment, cpus);
    note_siblings(notes, environment, cpus);
    note_isolated(notes, environment, cpus);
    note_governors(notes, environment, cpus);
    note_quota(notes, environment, cpus);
    return notes;
}

}  // namespace bench
