#include "analysis/pairing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/cell_table.h"
#include "analysis/sweep.h"
#include "common/statistics.h"

namespace bench::analysis {

namespace {

constexpr std::size_t kPrimaryFigures = 2;
/// With more than this many primary endpoints ten pairs decide nothing.
constexpr std::uint64_t kMostPrimaries = 6;
/// The samples of the sides' percentiles may differ this much in number.
constexpr double kMostCountRatio = 2;

std::string plural(std::size_t count, std::string_view word) {
    return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

/// The first two figures of each test and variant, of those that speak for the whole cell.
void choose_primaries(std::vector<Endpoint>& endpoints) {
    std::map<std::pair<std::string, std::string>, std::size_t> chosen;
    for (Endpoint& endpoint : endpoints) {
        if (!endpoint.key.subject.empty() || !endpoint.key.sweep) {
            continue;
        }
        std::size_t& count = chosen[{endpoint.key.test, endpoint.key.variant}];
        endpoint.primary = count < kPrimaryFigures;
        ++count;
    }
}

std::optional<double> figure_of(const Observation& observation, Statistic figure) {
    return observation.row->figures ? observation.row->figures->get(figure) : std::nullopt;
}

/// The values of one side by replication, the median where a boot had several launches; absent when
/// a run has none.
std::optional<std::map<std::string, double>> values_of(const std::vector<Observation>& observations,
                                                       Statistic figure) {
    std::map<std::string, std::vector<double>> launches;
    for (const Observation& observation : observations) {
        const auto value = figure_of(observation, figure);
        if (!value) {
            return std::nullopt;
        }
        launches[observation.replication].push_back(*value);
    }
    std::map<std::string, double> values;
    for (auto& [name, several] : launches) {
        std::sort(several.begin(), several.end());
        values[name] = quantile_type7(several, 500'000);
    }
    return values;
}

/// The usual number of samples of a side's launches; 0: none.
double usual_count(const std::vector<Observation>& side) {
    std::vector<double> counts;
    for (const Observation& observation : side) {
        if (observation.row->figures) {
            counts.push_back(static_cast<double>(observation.row->figures->count));
        }
    }
    std::sort(counts.begin(), counts.end());
    return counts.empty() ? 0 : quantile_type7(counts, 500'000);
}

/// A percentile of few samples is another quantity than one of many. What one launch had more or
/// less of is noise; what a side has is bias.
void check_counts(Endpoint& endpoint, const CellMetric& metric) {
    const double before = usual_count(metric.sides[0]);
    const double after = usual_count(metric.sides[1]);
    if (before == 0 || after == 0 ||
        std::max(before, after) <= kMostCountRatio * std::min(before, after)) {
        return;
    }
    endpoint.obstacles.push_back(
        {.id = "sample-counts",
         .text = fmt::format("{} {}{}: {:.0f} samples a run against {:.0f}, more than twofold",
                             metric.test, metric.metric.name,
                             metric.clients ? fmt::format(", {} clients", *metric.clients) : "",
                             before, after)});
}

std::vector<Statistic> figures_of(const CellMetric& metric) {
    const bool sampled = std::any_of(
        metric.sides.begin(), metric.sides.end(), [](const std::vector<Observation>& side) {
            return std::any_of(side.begin(), side.end(), [](const Observation& observation) {
                return observation.row->figures && observation.row->figures->count > 1;
            });
        });
    if (metric.metric.unit == "ns" && sampled) {
        return {Statistic::p50, Statistic::p99};
    }
    return {Statistic::mean};
}

/// The endpoint of one figure, its values still by replication.
SweepPart part_of(const CellMetric& metric, Statistic figure, const Side& base, const Side& fresh) {
    SweepPart part;
    Endpoint& endpoint = part.endpoint;
    endpoint.key = {.test = metric.test,
                    .variant = metric.variant,
                    .subject = metric.subject,
                    .metric = metric.metric.name,
                    .figure = figure,
                    .sweep = false,
                    .clients = metric.clients};
    endpoint.unit = metric.metric.unit;
    endpoint.better = metric.metric.better;
    const Side* sides[] = {&base, &fresh};
    for (std::size_t i = 0; i < 2; ++i) {
        endpoint.tainted += static_cast<std::size_t>(std::count_if(
            metric.sides[i].begin(), metric.sides[i].end(), [](const Observation& observation) {
                return observation.row->status == RowStatus::tainted;
            }));
        const auto values = values_of(metric.sides[i], figure);
        if (metric.sides[i].empty()) {
            endpoint.unavailable = fmt::format("not measured by {}", sides[i]->label);
            endpoint.obstacles.push_back({.id = "missing-cells", .text = endpoint.unavailable});
        } else if (!values) {
            endpoint.unavailable =
                fmt::format("a run of {} has too few samples for it, or none", sides[i]->label);
        } else {
            part.values[i] = *values;
        }
    }
    if (figure != Statistic::mean) {
        check_counts(endpoint, metric);
    }
    if (metric.differs) {
        endpoint.obstacles.push_back(
            {.id = "metric", .text = "its unit or direction is not the same everywhere"});
    }
    return part;
}

/// Whether every launch names its pair, and no pair twice on a side for the same cell.
Design design_of(const Side& base, const Side& fresh, std::vector<std::string>& remarks) {
    for (const Side* side : {&base, &fresh}) {
        std::set<std::string> seen;
        for (const Launch& launch : side->launches) {
            if (!launch.key.pair) {
                return Design::unpaired;
            }
            const auto cell = fmt::format("{}\n{}\n{}\n{}", launch.key.test, launch.key.variant,
                                          launch.key.clients.value_or(-1), *launch.key.pair);
            if (!seen.insert(cell).second) {
                remarks.push_back(fmt::format(
                    "pair {} of {} has more than one run: the sides are compared unpaired",
                    *launch.key.pair, side->label));
                return Design::unpaired;
            }
        }
    }
    return base.launches.empty() ? Design::unpaired : Design::paired;
}

bool boots_known(const Side& side) {
    return std::none_of(side.launches.begin(), side.launches.end(),
                        [](const Launch& launch) { return launch.boot_id.empty(); });
}

/// Launches or boots; what that leaves unmeasured goes into the remarks.
Unit unit_of(const Side& base, const Side& fresh, Design design, std::uint64_t fewest,
             std::vector<std::string>& remarks) {
    const auto before = base.boots();
    const auto after = fresh.boots();
    const bool shared = std::any_of(before.begin(), before.end(),
                                    [&](const std::string& boot) { return after.contains(boot); });
    // What is switched within one boot has nothing to do with boots.
    if (shared) {
        return Unit::launch;
    }
    if (before.empty() || after.empty() || !boots_known(base) || !boots_known(fresh)) {
        remarks.emplace_back(
            "boots were not recorded: differences between boots of the same kernel may be taken "
            "for the change");
        return Unit::launch;
    }
    if (before.size() == 1 && after.size() == 1) {
        remarks.emplace_back(
            "one boot each: differences between boots of the same kernel were not measured");
        return Unit::launch;
    }
    if (design == Design::paired) {
        return Unit::launch;
    }
    if (std::min(before.size(), after.size()) >= fewest) {
        return Unit::boot;
    }
    remarks.push_back(fmt::format(
        "{} against {}, {} each are needed to measure differences between boots of the same "
        "kernel: runs of one boot count on their own",
        plural(before.size(), "boot"), plural(after.size(), "boot"), fewest));
    return Unit::launch;
}

std::vector<Endpoint> make_endpoints(const CellTable& table, Design design, const Side& base,
                                     const Side& fresh) {
    std::vector<SweepPart> parts;
    for (const CellMetric& metric : table.metrics) {
        if (metric.metric.better == Better::none && !metric.differs) {
            continue;
        }
        for (const Statistic figure : figures_of(metric)) {
            parts.push_back(part_of(metric, figure, base, fresh));
        }
    }
    std::vector<Endpoint> endpoints = sweeps_of(parts, design);
    choose_primaries(endpoints);
    for (SweepPart& part : parts) {
        part.endpoint.values = replications_of(part.values[0], part.values[1], design);
        endpoints.push_back(std::move(part.endpoint));
    }
    return endpoints;
}

}  // namespace

double default_floor(std::string_view unit) {
    return unit == "ratio" ? 0.01 : 0;
}

Pairing pair_up(const Side& base, const Side& fresh, double alpha) {
    Pairing pairing;
    pairing.design = design_of(base, fresh, pairing.remarks);
    pairing.unit =
        unit_of(base, fresh, pairing.design,
                fewest_replications(Design::unpaired, alpha, kMostPrimaries), pairing.remarks);
    CellTable table = tabulate(base, fresh, pairing.design, pairing.unit);
    pairing.endpoints = make_endpoints(table, pairing.design, base, fresh);
    pairing.obstacles = std::move(table.obstacles);
    pairing.remarks.insert(pairing.remarks.end(), table.remarks.begin(), table.remarks.end());
    return pairing;
}

}  // namespace bench::analysis
