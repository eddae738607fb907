#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/pairing.h"

namespace bench::analysis {

/// A row and the replication it belongs to. Replications of one name are one block: the cells of a
/// sweep, both sides of a pair.
struct Observation {
    const SummaryRow* row = nullptr;  ///< into the side's launches
    std::string replication;
};

/// All rows of one metric of one cell, of both sides.
struct CellMetric {
    std::string test, variant, subject;
    std::optional<std::int64_t> clients;
    Metric metric;
    bool differs = false;  ///< unit or direction are not the same in all rows
    std::array<std::vector<Observation>, 2> sides;
};

struct CellTable {
    std::vector<CellMetric> metrics;  ///< in the order of the files
    std::vector<Obstacle> obstacles;
    std::vector<std::string> remarks;
};

/// The rows of both sides side by side, without those of launches that failed or did not run; what
/// that leaves out is among the obstacles. Both sides must outlive the table.
[[nodiscard]] CellTable tabulate(const Side& base, const Side& fresh, Design design, Unit unit);

}  // namespace bench::analysis
