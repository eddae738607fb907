#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "analysis/side.h"
#include "common/random.h"

namespace bench::analysis::testing {

/// A machine as far as comparisons look at it.
inline bench::Json machine(const std::string& boot) {
    return {{"boot_id", boot},
            {"kernel",
             {{"mitigations",
               {{"vulnerabilities",
                 {{"meltdown", "Not affected"}, {"spectre_v2", "Mitigation: Retpolines"}}}}}}},
            {"cpu",
             {{"models", {{"Test CPU 3000", "0-3"}}},
              {"online", "0-3"},
              {"allowed", "0-3"},
              {"smt_control", "on"},
              {"topology", {{"cores", 4}}},
              {"frequency", {{"governors", {{"performance", "0-3"}}}, {"turbo", true}}}}},
            {"timing", {{"clock_source", "tsc"}}},
            {"virtualisation", {{"kind", "kvm"}, {"accel", "kvm"}}},
            {"tool", {{"zlib", {{"running", "1.2.13"}}}}}};
}

/// How a made-up side was measured.
struct SidePlan {
    std::string label = "base";
    std::string kernel = "6.1.0";
    std::string variant = "load=none";
    std::vector<std::int64_t> clients = {1, 2, 4};
    std::int64_t repetitions = 10;
    std::vector<std::string> boots = {"boot-a"};  ///< repetitions take them in turn
    bool pairs = false;
    double level = 1;      ///< of the latencies, in ms
    double spread = 0.02;  ///< run to run
    std::size_t samples = 400;
    std::uint64_t seed = 1;
};

inline SummaryRow row_of(const CellKey& key, const Metric& metric, std::vector<double> values) {
    return {.key = key,
            .subject = {},
            .metric = metric,
            .status = RowStatus::ok,
            .figures = summarise(values)};
}

/// A launch with wakeup (sampled durations), work (likewise, steady) and rounds (not judged).
inline Launch launch_of(const SidePlan& plan, std::int64_t clients, std::int64_t repetition,
                        double factor) {
    Launch launch;
    const std::size_t boot = static_cast<std::size_t>(repetition - 1) % plan.boots.size();
    launch.key.test = "latt";
    launch.key.kernel = plan.kernel;
    launch.key.scheduler = "EEVDF";
    launch.key.variant = plan.variant;
    launch.key.clients = clients;
    launch.key.repetition = repetition;
    launch.key.boot = static_cast<std::int64_t>(boot) + 1;
    if (plan.pairs) {
        launch.key.pair = repetition;
    }
    launch.boot_id = plan.boots[boot];
    launch.cell = {{"cell", repetition * 100 + clients}, {"duration_ns", 2'000'000'000}};
    launch.environment = std::make_shared<const bench::Json>(machine(launch.boot_id));
    std::vector<double> wakeups;
    std::vector<double> work;
    for (std::size_t i = 0; i < plan.samples; ++i) {
        const double place = static_cast<double>(i + 1) / static_cast<double>(plan.samples);
        wakeups.push_back(std::round(1e6 * plan.level * factor * (0.5 + place)));
        work.push_back(std::round(3e7 * (1 + 0.1 * place)));
    }
    const Metric wakeup{.name = "wakeup", .unit = "ns", .better = Better::lower, .description = {}};
    const Metric work_metric{
        .name = "work", .unit = "ns", .better = Better::lower, .description = {}};
    const Metric rounds{.name = "rounds", .unit = "1", .better = Better::none, .description = {}};
    launch.rows = {row_of(launch.key, wakeup, wakeups), row_of(launch.key, work_metric, work),
                   row_of(launch.key, rounds, {static_cast<double>(plan.samples)})};
    return launch;
}

inline Side make_side(const SidePlan& plan) {
    Side side;
    side.label = plan.label;
    side.bundles = {"results/" + plan.label};
    Random random(plan.seed);
    for (std::int64_t repetition = 1; repetition <= plan.repetitions; ++repetition) {
        for (const std::int64_t clients : plan.clients) {
            // The sum of twelve uniform numbers is normal enough, and bounded.
            double noise = -6;
            for (int i = 0; i < 12; ++i) {
                noise += static_cast<double>(random.below(1'000'001)) / 1e6;
            }
            side.launches.push_back(
                launch_of(plan, clients, repetition, std::exp(plan.spread * noise)));
        }
    }
    return side;
}

/// Breaks the launch of a cell.
inline void lose(Side& side, std::int64_t clients, std::int64_t repetition,
                 RowStatus status = RowStatus::failed) {
    for (Launch& launch : side.launches) {
        if (launch.key.clients == clients && launch.key.repetition == repetition) {
            launch.cell["reason"] = "it broke";
            for (SummaryRow& row : launch.rows) {
                row.status = status;
                row.figures.reset();
            }
        }
    }
}

}  // namespace bench::analysis::testing
