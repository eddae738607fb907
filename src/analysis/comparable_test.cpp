#include "analysis/comparable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <tuple>

#include "analysis/testing/sides.h"

namespace bench::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::make_side;

/// A side whose machine has `value` at `pointer`.
Side changed(const char* pointer, const Json& value) {
    Side side = make_side({.label = "fresh", .repetitions = 2});
    for (Launch& launch : side.launches) {
        Json environment = *launch.environment;
        environment[Json::json_pointer(pointer)] = value;
        launch.environment = std::make_shared<const Json>(std::move(environment));
    }
    return side;
}

Side changed_cells(const std::function<void(Json&)>& change) {
    Side side = make_side({.label = "fresh", .repetitions = 2});
    for (Launch& launch : side.launches) {
        change(launch.cell);
    }
    return side;
}

std::vector<std::string> ids(const Comparability& comparability) {
    std::vector<std::string> names;
    for (const Obstacle& obstacle : comparability.obstacles) {
        names.push_back(obstacle.id);
    }
    return names;
}

const Side& base() {
    static const Side side = make_side({});
    return side;
}

TEST(Comparable, TheSameMachineIs) {
    const auto result = comparable(base(), make_side({.label = "fresh", .kernel = "6.12"}));
    EXPECT_THAT(result.obstacles, IsEmpty());
    EXPECT_THAT(result.unknown, IsEmpty());
}

TEST(Comparable, EachFactHasItsName) {
    const std::vector<std::tuple<const char*, Json, const char*>> facts = {
        {"/cpu/models", {{"Other CPU", "0-3"}}, "cpu-model"},
        {"/cpu/online", "0-1", "cpus"},
        {"/cpu/allowed", "0", "cpus"},
        {"/cpu/topology/cores", 2, "cpus"},
        {"/cpu/frequency/governors", {{"powersave", "0-3"}}, "governor"},
        {"/cpu/frequency/turbo", false, "turbo"},
        {"/cpu/smt_control", "off", "smt"},
        {"/kernel/mitigations/parameter", "off", "mitigations"},
        {"/kernel/mitigations/vulnerabilities/spectre_v2", "Vulnerable", "mitigations"},
        {"/timing/clock_source", "hpet", "clock-source"},
        {"/virtualisation/accel", "tcg", "virtualisation"},
        {"/tool/zlib/running", "1.3", "zlib"}};
    for (const auto& [pointer, value, id] : facts) {
        const auto result = comparable(base(), changed(pointer, value));
        EXPECT_THAT(ids(result), ElementsAre(id)) << pointer;
    }
    const auto governor =
        comparable(base(), changed("/cpu/frequency/governors", {{"powersave", "0-3"}}));
    EXPECT_EQ(governor.obstacles.front().text, "governor: performance against powersave");
}

TEST(Comparable, TheWordsOfAMitigationDoNotCount) {
    const auto result = comparable(base(), changed("/kernel/mitigations/vulnerabilities/spectre_v2",
                                                   "Mitigation: Enhanced IBRS; IBPB: conditional"));
    EXPECT_THAT(result.obstacles, IsEmpty());
}

TEST(Comparable, WhatOneSideDidNotRecordIsUnknownNotDifferent) {
    const auto result = comparable(
        base(), changed("/kernel/mitigations/vulnerabilities/newer_gap", "Mitigation: Yes"));
    EXPECT_THAT(result.obstacles, IsEmpty());
    EXPECT_THAT(result.unknown, ElementsAre("newer_gap: recorded for fresh only"));
}

TEST(Comparable, WorkloadsMustBeAlike) {
    EXPECT_THAT(ids(comparable(base(), changed_cells([](Json& cell) {
                                   cell["duration_ns"] = 30'000'000'000;
                               }))),
                ElementsAre("workload"));
    Side calibrated = make_side({});
    for (Launch& launch : calibrated.launches) {
        launch.cell[launch.key.test]["loops_per_ms"] = 1000.0;
    }
    const auto loops = [](double value) {
        return changed_cells([=](Json& cell) {
            cell[make_side({}).launches.front().key.test]["loops_per_ms"] = value;
        });
    };
    EXPECT_THAT(ids(comparable(calibrated, loops(1040))), IsEmpty());
    EXPECT_THAT(ids(comparable(calibrated, loops(1060))), ElementsAre("calibration"));
}

TEST(Comparable, ASchedulerThatDiedIsSeen) {
    const auto with_states = [](const char* before, const char* after) {
        return changed_cells([=](Json& cell) {
            cell["state_before"]["sched_ext"] = {{"state", before}, {"ops", "rusty"}};
            cell["state_after"]["sched_ext"] = {{"state", after}, {"ops", "rusty"}};
        });
    };
    EXPECT_THAT(ids(comparable(base(), with_states("enabled", "enabled"))), IsEmpty());
    const auto died = comparable(base(), with_states("enabled", "disabled"));
    ASSERT_THAT(ids(died), ElementsAre("sched-ext-died"));
    EXPECT_THAT(died.obstacles.front().text, HasSubstr("in 6 of 6 cells of fresh"));
}

TEST(Comparable, ARunThatWasStoppedIsSaid) {
    Side fresh = make_side({.label = "fresh"});
    fresh.incomplete = {"results/fresh: the run is incomplete (stopped by SIGINT)"};
    EXPECT_THAT(ids(comparable(base(), fresh)), ElementsAre("incomplete"));
}

TEST(Comparable, EveryIdCanBeAllowed) {
    std::set<std::string_view> known;
    for (const ObstacleKind& kind : obstacle_kinds()) {
        EXPECT_TRUE(known.insert(kind.id).second) << kind.id;
        EXPECT_FALSE(kind.what.empty());
    }
    for (const char* id : {"cpu-model", "calibration", "sched-ext-died", "sample-counts",
                           "missing-cells", "lost-runs", "incomplete", "metric", "mixed-side"}) {
        EXPECT_TRUE(known.contains(id)) << id;
    }
}

}  // namespace
}  // namespace bench::analysis
