#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/comparison.h"
#include "analysis/obstacle.h"
#include "analysis/side.h"

namespace bench::analysis {

/// What is compared: one figure of one metric, at one number of clients or over the whole sweep.
struct EndpointKey {
    std::string test;
    std::string variant;  ///< empty too where the two sides differ in nothing but their variant
    std::string subject;  ///< empty: the whole cell
    std::string metric;
    Statistic figure = Statistic::mean;
    bool sweep = false;  ///< mean over the client counts: of logarithms when all are above 0
    std::optional<std::int64_t> clients;  ///< absent: none, or a sweep

    [[nodiscard]] auto operator<=>(const EndpointKey&) const = default;
};

struct Endpoint {
    EndpointKey key;
    std::string unit;
    Better better = Better::lower;
    bool primary = false;     ///< decides; the others inform
    Replications values;      ///< empty when unavailable
    std::string unavailable;  ///< why there are no values; empty: there are
    std::vector<Obstacle> obstacles;
    std::vector<std::int64_t> swept;  ///< the client counts of a sweep that had no missing run
    std::size_t tainted = 0;  ///< values that something speaks against; they count all the same
};

enum class Unit { launch, boot };

/// Two sides as replications.
struct Pairing {
    Unit unit = Unit::launch;
    Design design = Design::unpaired;
    std::vector<Endpoint> endpoints;   ///< sweeps first, then by test, variant and clients
    std::vector<Obstacle> obstacles;   ///< missing cells and lost runs, each listed
    std::vector<std::string> remarks;  ///< what was not measured: belongs into the first lines
};

/// The floor of a margin: a share that moved by less than one percent point has not moved, however
/// small it was (fairness crowds against 1 and 0). Other units have none.
[[nodiscard]] double default_floor(std::string_view unit);

/// Makes replications of launches. They are paired where both sides name the pair of every launch.
/// Sides that share no boot are compared by boots (the median of a boot's launches) when each has
/// enough of them for six primary endpoints at `alpha`, else by launches, with a remark.
///
/// Figures: p50 and p99 of durations that were sampled, the mean of everything else. A percentile
/// that one run does not have is unavailable. Metrics that are neither better lower nor higher are
/// not judged. Primary are the first two figures of each test and variant, in the order in which
/// the bundle lists its metrics, over the sweep where there is one.
///
/// A launch that failed is lost with its pair; over a fifth lost is an obstacle. A cell that one
/// side lacks, or that could not run, is an obstacle, too, and the others are compared.
[[nodiscard]] Pairing pair_up(const Side& base, const Side& fresh, double alpha = kAlpha);

}  // namespace bench::analysis
