#include "analysis/cell_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace bench::analysis {

namespace {

/// More lost runs than this make a comparison invalid.
constexpr double kMostLost = 0.2;

using Cell = std::tuple<std::string, std::string, std::optional<std::int64_t>>;

std::string cell_text(const Cell& cell) {
    const auto& [test, variant, clients] = cell;
    std::string text = test;
    if (!variant.empty()) {
        text += " " + variant;
    }
    if (clients) {
        text += fmt::format(", {} clients", *clients);
    }
    return text;
}

/// What became of the launches of one cell on one side.
struct Tally {
    std::size_t usable = 0;
    std::size_t lost = 0;
    std::string reason;  ///< of the first that was lost
    std::set<std::int64_t> pairs;
};

class Tabulation {
  public:
    Tabulation(const Side& base, const Side& fresh, Design design, Unit unit)
        : sides_{&base, &fresh}, design_(design), unit_(unit) {}

    CellTable take() {
        find_compared_variants();
        for (std::size_t side = 0; side < 2; ++side) {
            for (const Launch& launch : sides_[side]->launches) {
                add(side, launch);
            }
        }
        check_cells();
        check_mixture();
        return std::move(table_);
    }

  private:
    /// Where each side has one variant of a test and they differ, they are what is compared.
    void find_compared_variants() {
        std::map<std::string, std::array<std::set<std::string>, 2>> variants;
        for (std::size_t side = 0; side < 2; ++side) {
            for (const Launch& launch : sides_[side]->launches) {
                variants[launch.key.test][side].insert(launch.key.variant);
            }
        }
        for (const auto& [test, both] : variants) {
            if (both[0].size() == 1 && both[1].size() == 1 && both[0] != both[1]) {
                compared_.insert(test);
                table_.remarks.push_back(fmt::format("{}: '{}' is compared with '{}'", test,
                                                     *both[0].begin(), *both[1].begin()));
            }
        }
    }

    Cell cell_of(const Launch& launch) const {
        return {launch.key.test,
                compared_.contains(launch.key.test) ? std::string() : launch.key.variant,
                launch.key.clients};
    }

    std::string replication_of(std::size_t side, const Cell& cell, const Launch& launch) {
        if (design_ == Design::paired) {
            return fmt::format("pair {}", launch.key.pair.value_or(0));
        }
        if (unit_ == Unit::boot) {
            return "boot " + launch.boot_id;
        }
        std::string name =
            fmt::format("bundle {} pair {} repetition {}", launch.bundle,
                        launch.key.pair.value_or(0), launch.key.repetition.value_or(0));
        // Launches that nothing tells apart are launches all the same.
        const std::size_t earlier = seen_[{side, cell, name}]++;
        return earlier == 0 ? name : fmt::format("{} again {}", name, earlier);
    }

    void add(std::size_t side, const Launch& launch) {
        const Cell cell = cell_of(launch);
        Tally& tally = tallies_[cell][side];
        const RowStatus status = launch.status();
        if (status == RowStatus::failed || status == RowStatus::not_run) {
            if (tally.lost++ == 0) {
                const Json reason =
                    launch.cell.is_object() ? launch.cell.value("reason", Json()) : Json();
                tally.reason = fmt::format(
                    "{}{}", status_text(status),
                    reason.is_string() ? ": " + reason.get<std::string>() : std::string());
            }
            return;
        }
        ++tally.usable;
        if (launch.key.pair) {
            tally.pairs.insert(*launch.key.pair);
        }
        const std::string replication = replication_of(side, cell, launch);
        for (const SummaryRow& row : launch.rows) {
            metric_of(cell, row).sides[side].push_back({&row, replication});
        }
    }

    CellMetric& metric_of(const Cell& cell, const SummaryRow& row) {
        const auto [place, is_new] =
            places_.emplace(std::tuple(cell, row.subject, row.metric.name), table_.metrics.size());
        if (is_new) {
            table_.metrics.push_back({.test = std::get<0>(cell),
                                      .variant = std::get<1>(cell),
                                      .subject = row.subject,
                                      .clients = std::get<2>(cell),
                                      .metric = row.metric,
                                      .differs = false,
                                      .sides = {}});
        }
        CellMetric& metric = table_.metrics[place->second];
        metric.differs = metric.differs || metric.metric.unit != row.metric.unit ||
                         metric.metric.better != row.metric.better;
        return metric;
    }

    void check_cells() {
        for (const auto& [cell, tallies] : tallies_) {
            bool missing = false;
            for (std::size_t side = 0; side < 2; ++side) {
                const Tally& tally = tallies[side];
                if (tally.usable == 0) {
                    missing = true;
                    table_.obstacles.push_back(
                        {.id = "missing-cells",
                         .text = fmt::format("{}: {} {}", cell_text(cell), sides_[side]->label,
                                             tally.lost == 0 ? "has no such cell"
                                                             : fmt::format("measured nothing ({})",
                                                                           tally.reason))});
                }
            }
            if (!missing) {
                check_losses(cell, tallies);
            }
        }
    }

    void check_losses(const Cell& cell, const std::array<Tally, 2>& tallies) {
        for (std::size_t side = 0; side < 2; ++side) {
            const Tally& tally = tallies[side];
            std::size_t lost = tally.lost;
            std::size_t kept = tally.usable;
            if (design_ == Design::paired) {
                kept = static_cast<std::size_t>(std::count_if(
                    tally.pairs.begin(), tally.pairs.end(),
                    [&](std::int64_t pair) { return tallies[1 - side].pairs.contains(pair); }));
                lost += tally.usable - kept;
            }
            if (lost == 0) {
                continue;
            }
            const std::string text =
                fmt::format("{}: {} of {} {} of {} are lost{}", cell_text(cell), lost, lost + kept,
                            design_ == Design::paired ? "pairs" : "runs", sides_[side]->label,
                            tally.reason.empty() ? std::string() : " (" + tally.reason + ")");
            if (static_cast<double>(lost) > kMostLost * static_cast<double>(lost + kept)) {
                table_.obstacles.push_back({.id = "lost-runs", .text = text});
            } else {
                table_.remarks.push_back(text);
            }
        }
    }

    void check_mixture() {
        for (const Side* side : sides_) {
            std::set<std::string> schedulers;
            for (const Launch& launch : side->launches) {
                schedulers.insert(launch.key.kernel + " " + launch.key.scheduler);
            }
            if (schedulers.size() > 1) {
                table_.obstacles.push_back(
                    {.id = "mixed-side",
                     .text = fmt::format("{} holds more than one kernel or scheduler: {}",
                                         side->label, fmt::join(schedulers, ", "))});
            }
        }
    }

    std::array<const Side*, 2> sides_;
    Design design_;
    Unit unit_;
    CellTable table_;
    std::set<std::string> compared_;
    std::map<Cell, std::array<Tally, 2>> tallies_;
    std::map<std::tuple<std::size_t, Cell, std::string>, std::size_t> seen_;
    std::map<std::tuple<Cell, std::string, std::string>, std::size_t> places_;
};

}  // namespace

CellTable tabulate(const Side& base, const Side& fresh, Design design, Unit unit) {
    return Tabulation(base, fresh, design, unit).take();
}

}  // namespace bench::analysis
