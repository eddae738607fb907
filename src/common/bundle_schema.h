#pragma once

#include <filesystem>

#include "common/bundle.h"

/// What writer and reader of a bundle have in common.
namespace bench {

inline constexpr const char* kRunFile = "run.json";
inline constexpr const char* kSummaryFile = "summary.csv";
inline constexpr const char* kSamplesFile = "samples.csv.gz";

inline constexpr const char* kSchema = "bench-result";
inline constexpr int kSchemaVersion = 1;

inline constexpr const char* kRunning = "running";
inline constexpr const char* kComplete = "complete";
inline constexpr const char* kIncomplete = "incomplete";

/// A key's fields as members of a cell in run.json, absent ones left out.
void put_key(Json& cell, const CellKey& key);

/// A cell of run.json without samples and figures, but for what put_cell adds.
[[nodiscard]] Json cell_json(const CellRecord& record);

/// Adds a metric's descriptor to run.json once.
void put_metric(Json& run, const Json& metric);
[[nodiscard]] Json metric_json(const Metric& metric);

/// Adds `cell` to run.json with its environment, which is stored once per distinct one.
void put_cell(Json& run, Json cell, const Json& environment);

/// Adds to a cell of run.json what its runner knows of it; members it has are left as they are.
void add_to_cell(Json& cell, const CellAddition& addition);

/// The number of the boot `environment` was captured in, by its boot_id: `given`, or the known
/// boot's, or the next one. A new boot is added to run.json. Absent when neither is known.
[[nodiscard]] std::optional<std::int64_t> put_boot(Json& run, const Json& environment,
                                                   std::optional<std::int64_t> given);

}  // namespace bench
