#include "analysis/comparable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "common/statistics.h"

namespace bench::analysis {

namespace {

/// Calibrations of one machine agree to a few percent: beyond, a piece of work is another piece.
constexpr double kCalibrationLimit = 0.05;

/// Facts by name; one that was not recorded is absent.
using Facts = std::map<std::string, std::string>;

std::optional<std::string> text_at(const Json& json, const char* pointer) {
    const Json::json_pointer place(pointer);
    if (!json.is_object() || !json.contains(place) || json[place].is_null()) {
        return std::nullopt;
    }
    const Json& value = json[place];
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// What a test wrote of its own run: under its name in the cell.
const Json& own_details(const Launch& launch) {
    static const Json nothing = Json::object();
    const auto found =
        launch.cell.is_object() ? launch.cell.find(launch.key.test) : launch.cell.end();
    return launch.cell.is_object() && found != launch.cell.end() ? *found : nothing;
}

void put(Facts& facts, const std::string& name, const std::optional<std::string>& value) {
    if (value) {
        facts[name] = *value;
    }
}

/// The keys of an object such as {"performance": "0-3"}.
void put_keys(Facts& facts, const std::string& name, const Json& environment, const char* pointer) {
    const Json::json_pointer place(pointer);
    if (!environment.contains(place) || !environment[place].is_object()) {
        return;
    }
    std::string keys;
    for (const auto& [key, value] : environment[place].items()) {
        keys += (keys.empty() ? "" : ", ") + key;
    }
    facts[name] = keys;
}

void cpu_model(Facts& facts, const Launch& /*launch*/, const Json& environment) {
    put_keys(facts, "CPU model", environment, "/cpu/models");
}

void cpus(Facts& facts, const Launch& /*launch*/, const Json& environment) {
    put(facts, "online CPUs", text_at(environment, "/cpu/online"));
    put(facts, "CPUs given to us", text_at(environment, "/cpu/allowed"));
    put(facts, "cores", text_at(environment, "/cpu/topology/cores"));
    put(facts, "CPU quota", text_at(environment, "/cgroup/cpu/quota/cpus"));
}

void governor(Facts& facts, const Launch& /*launch*/, const Json& environment) {
    put_keys(facts, "governor", environment, "/cpu/frequency/governors");
}

void turbo(Facts& facts, const Launch& /*launch*/, const Json& environment) {
    put(facts, "turbo", text_at(environment, "/cpu/frequency/turbo"));
}

void smt(Facts& facts, const Launch& /*launch*/, const Json& environment) {
    put(facts, "SMT", text_at(environment, "/cpu/smt_control"));
}

/// Kernels word the same state in many ways: what counts is whether a gap is open, mended or
/// absent.
void mitigations(Facts& facts, const Launch& /*launch*/, const Json& environment) {
    const Json::json_pointer place("/kernel/mitigations/vulnerabilities");
    if (!environment.contains(place) || !environment[place].is_object()) {
        return;  // nothing was recorded
    }
    facts["mitigations="] =
        text_at(environment, "/kernel/mitigations/parameter").value_or("(not given)");
    for (const auto& [name, value] : environment[place].items()) {
        const std::string state = value.is_string() ? value.get<std::string>() : value.dump();
        facts[name] = state.starts_with("Mitigation")   ? "mitigated"
                      : state.starts_with("Vulnerable") ? "vulnerable"
                                                        : state;
    }
}

void clock_source(Facts& facts, const Launch& /*launch*/, const Json& environment) {
    put(facts, "clock source", text_at(environment, "/timing/clock_source"));
}

void virtualisation(Facts& facts, const Launch& launch, const Json& environment) {
    if (environment.contains("virtualisation")) {
        facts["virtual machine"] =
            text_at(environment, "/virtualisation/kind").value_or("none that tells");
    }
    put(facts, "accelerator", text_at(environment, "/virtualisation/accel"));
    for (const auto& [key, value] : parse_variant(launch.key.variant)) {
        if (key == "time") {
            facts["time"] = value;
        }
    }
}

void zlib(Facts& facts, const Launch& launch, const Json& environment) {
    put(facts, "zlib", text_at(environment, "/tool/zlib/running"));
    put(facts, "zlib of the workload", text_at(own_details(launch), "/zlib_version"));
    put(facts, "zlib level", text_at(own_details(launch), "/zlib_level"));
}

void workload(Facts& facts, const Launch& launch, const Json& /*environment*/) {
    put(facts, launch.key.test + " workload version",
        text_at(own_details(launch), "/workload_version"));
    for (const char* amount : {"work_ns", "sleep_ns", "work_bytes"}) {
        put(facts, launch.key.test + " " + amount,
            text_at(own_details(launch), (std::string("/") + amount).c_str()));
    }
    put(facts, launch.key.test + " duration (ns)", text_at(launch.cell, "/duration_ns"));
}

struct Check {
    ObstacleKind kind;
    void (*facts)(Facts& facts, const Launch& launch, const Json& environment);
};

const std::vector<Check>& checks() {
    static const std::vector<Check> all = {
        {{"cpu-model", "another CPU model"}, cpu_model},
        {{"cpus", "another number or set of CPUs, or another quota"}, cpus},
        {{"governor", "another frequency governor"}, governor},
        {{"turbo", "turbo on here, off there"}, turbo},
        {{"smt", "SMT on here, off there"}, smt},
        {{"mitigations", "mitigations on here, off there"}, mitigations},
        {{"clock-source", "another clock source"}, clock_source},
        {{"virtualisation", "another hypervisor, accelerator or kind of time"}, virtualisation},
        {{"zlib", "another zlib"}, zlib},
        {{"workload", "another version or duration of a test's workload"}, workload},
    };
    return all;
}

/// All values a side has for each fact.
std::map<std::string, std::set<std::string>> values_of(const Side& side, const Check& check) {
    static const Json nothing = Json::object();
    std::map<std::string, std::set<std::string>> values;
    for (const Launch& launch : side.launches) {
        Facts facts;
        check.facts(facts, launch, launch.environment ? *launch.environment : nothing);
        for (const auto& [name, value] : facts) {
            values[name].insert(value);
        }
    }
    return values;
}

void check_facts(Comparability& result, const Check& check, const Side& base, const Side& fresh) {
    const auto before = values_of(base, check);
    const auto after = values_of(fresh, check);
    std::vector<std::string> differences;
    for (const auto& [name, values] : before) {
        const auto other = after.find(name);
        if (other == after.end()) {
            result.unknown.push_back(fmt::format("{}: recorded for {} only", name, base.label));
        } else if (values != other->second) {
            differences.push_back(fmt::format("{}: {} against {}", name, fmt::join(values, " and "),
                                              fmt::join(other->second, " and ")));
        }
    }
    for (const auto& [name, values] : after) {
        if (!before.contains(name)) {
            result.unknown.push_back(fmt::format("{}: recorded for {} only", name, fresh.label));
        }
    }
    if (!differences.empty()) {
        result.obstacles.push_back({.id = std::string(check.kind.id),
                                    .text = fmt::format("{}", fmt::join(differences, "; "))});
    }
}

std::optional<double> median_calibration(const Side& side) {
    std::vector<double> values;
    for (const Launch& launch : side.launches) {
        const Json value = own_details(launch).value("loops_per_ms", Json());
        if (value.is_number()) {
            values.push_back(value.get<double>());
        }
    }
    if (values.empty()) {
        return std::nullopt;
    }
    std::sort(values.begin(), values.end());
    return quantile_type7(values, 500'000);
}

void check_calibration(Comparability& result, const Side& base, const Side& fresh) {
    const auto before = median_calibration(base);
    const auto after = median_calibration(fresh);
    if (!before || !after || *before <= 0 ||
        std::abs(*after - *before) <= kCalibrationLimit * *before) {
        return;
    }
    result.obstacles.push_back(
        {.id = "calibration",
         .text = fmt::format("loops a millisecond: {:.6g} against {:.6g}, more than {:.0f} % apart",
                             *before, *after, kCalibrationLimit * 100)});
}

/// A sched_ext scheduler that the kernel threw out leaves the rest of the cell to another one.
bool sched_ext_died(const Launch& launch) {
    const auto state = [&](const char* when, const char* what) {
        return text_at(launch.cell, fmt::format("/{}/sched_ext/{}", when, what).c_str())
            .value_or("");
    };
    return state("state_before", "state") == "enabled" &&
           (state("state_after", "state") != "enabled" ||
            state("state_before", "ops") != state("state_after", "ops") ||
            state("state_before", "enable_seq") != state("state_after", "enable_seq"));
}

void check_sched_ext(Comparability& result, const Side& base, const Side& fresh) {
    std::vector<std::string> died;
    for (const Side* side : {&base, &fresh}) {
        const auto count =
            std::count_if(side->launches.begin(), side->launches.end(), sched_ext_died);
        if (count > 0) {
            died.push_back(
                fmt::format("in {} of {} cells of {}", count, side->launches.size(), side->label));
        }
    }
    if (!died.empty()) {
        result.obstacles.push_back(
            {.id = "sched-ext-died",
             .text = fmt::format("a sched_ext scheduler stopped {}", fmt::join(died, " and "))});
    }
}

}  // namespace

const std::vector<ObstacleKind>& obstacle_kinds() {
    static const std::vector<ObstacleKind> all = [] {
        std::vector<ObstacleKind> kinds;
        for (const Check& check : checks()) {
            kinds.push_back(check.kind);
        }
        kinds.push_back({"calibration", "a piece of work that was calibrated to another size"});
        kinds.push_back({"sched-ext-died", "a sched_ext scheduler that stopped in a cell"});
        kinds.push_back(
            {"sample-counts", "percentiles, of more than twice as many samples on one side"});
        kinds.push_back({"missing-cells", "cells that only one side has, or that did not run"});
        kinds.push_back({"lost-runs", "more than a fifth of the runs failed"});
        kinds.push_back({"incomplete", "a run that was stopped"});
        kinds.push_back({"mixed-side", "several kernels or schedulers on one side"});
        kinds.push_back({"metric", "a metric whose unit or direction differs"});
        return kinds;
    }();
    return all;
}

Comparability comparable(const Side& base, const Side& fresh) {
    Comparability result;
    for (const Check& check : checks()) {
        check_facts(result, check, base, fresh);
    }
    check_calibration(result, base, fresh);
    check_sched_ext(result, base, fresh);
    std::vector<std::string> stopped = base.incomplete;
    stopped.insert(stopped.end(), fresh.incomplete.begin(), fresh.incomplete.end());
    if (!stopped.empty()) {
        result.obstacles.push_back(
            {.id = "incomplete", .text = fmt::format("{}", fmt::join(stopped, "; "))});
    }
    return result;
}

}  // namespace bench::analysis
