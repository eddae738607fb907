#pragma once

#include <string>
#include <vector>

#include "common/bundle.h"

namespace bench::testing {

inline Metric wakeup_metric() {
    return {.name = "wakeup",
            .unit = "ns",
            .better = Better::lower,
            .description = "Time from the wake-up to running."};
}

inline Metric rounds_metric() {
    return {.name = "rounds", .unit = "1", .better = Better::none, .description = "Rounds done."};
}

/// An environment as far as the writer looks into it.
inline Json environment_of_boot(const std::string& boot_id) {
    return {{"kernel_release", "6.12.0-test"}, {"boot_id", boot_id}};
}

/// A cell with `samples` wake-ups from two clients and one number of rounds.
inline CellRecord measured_cell(std::int64_t cell, std::size_t samples = 20) {
    CellRecord record;
    record.cell = cell;
    record.key = {.test = "latt",
                  .kernel = "6.12.0-test",
                  .scheduler = "EEVDF",
                  .variant = "load=none",
                  .clients = 2,
                  .repetition = 1,
                  .boot = {},
                  .pair = {},
                  .order = {},
                  .seed = 7};
    record.metrics = {wakeup_metric(), rounds_metric()};
    Series wakeup{
        .metric = wakeup_metric(), .subject = {}, .values = {}, .clients = {}, .at_ns = {}};
    for (std::size_t i = 0; i < samples; ++i) {
        wakeup.values.push_back(1000.0 * static_cast<double>(cell) + static_cast<double>(i));
        wakeup.clients.push_back(static_cast<std::uint32_t>(i % 2));
        wakeup.at_ns.push_back(static_cast<std::int64_t>(i) * 1'000'000);
    }
    record.series.push_back(std::move(wakeup));
    record.series.push_back({.metric = rounds_metric(),
                             .subject = {},
                             .values = {static_cast<double>(samples)},
                             .clients = {},
                             .at_ns = {}});
    record.environment = environment_of_boot("boot-a");
    record.details = {{"duration", "2s"}};
    return record;
}

}  // namespace bench::testing
