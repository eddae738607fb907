#include "fairuser/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "fairuser/figures.h"

namespace bench::fairuser {
namespace {

constexpr const char* kUngrouped = "none";

/// What a cell's rows tell of it.
struct Measured {
    CellKey key;
    bool tainted = false;
    bool has_efficiency = false;
    std::optional<double> makespan, jain, within;
    std::optional<double> work;  ///< of all users, a second
    bool work_unknown = false;   ///< of one of them
};

std::optional<double> value_of(const SummaryRow& row) {
    return row.figures ? row.figures->mean : std::nullopt;
}

void take(Measured& cell, const SummaryRow& row) {
    const std::string& name = row.metric.name;
    const std::optional<double> value = value_of(row);
    if (name == "makespan") {
        cell.makespan = value;
    } else if (name == "jain") {
        cell.jain = value;
    } else if (name == "within") {
        cell.within = value;
    } else if (name == "efficiency") {
        cell.has_efficiency = value.has_value();
    } else if (name == "work_rate") {
        cell.work = cell.work.value_or(0) + value.value_or(0);
        cell.work_unknown |= !value;
    }
}

/// Those that ran, by their place in the run.
std::map<std::int64_t, Measured> measured_cells(const std::vector<SummaryRow>& block) {
    std::map<std::int64_t, Measured> cells;
    for (const SummaryRow& row : block) {
        const bool ran = row.status == RowStatus::ok || row.status == RowStatus::tainted;
        if (ran && row.key.order) {
            Measured& cell = cells[*row.key.order];
            cell.key = row.key;
            cell.tainted = row.status == RowStatus::tainted;
            take(cell, row);
        }
    }
    return cells;
}

std::string ungrouped(const std::string& variant) {
    auto pairs = parse_variant(variant);
    for (auto& [key, value] : pairs) {
        if (key == "group") {
            value = kUngrouped;
        }
    }
    return format_variant(std::move(pairs));
}

bool is_reference(const CellKey& of, const CellKey& other) {
    return other.kernel == of.kernel && other.scheduler == of.scheduler && other.seed == of.seed &&
           other.variant == ungrouped(of.variant);
}

/// Whether more work can only come of more CPU time: a chat may gain by grouping.
bool wants_cpus_alone(const std::string& variant) {
    const auto pairs = parse_variant(variant);
    return std::any_of(pairs.begin(), pairs.end(), [](const auto& pair) {
        return pair.first == "workload" &&
               (pair.second == word(WorkloadKind::spin) || pair.second == word(WorkloadKind::make));
    });
}

std::optional<double> efficiency(const Measured& cell, const Measured& reference) {
    if (cell.makespan && reference.makespan && *cell.makespan > 0) {
        return *reference.makespan / *cell.makespan;
    }
    const bool known = cell.work && reference.work && !cell.work_unknown &&
                       !reference.work_unknown && *reference.work > 0;
    return known ? std::optional(*cell.work / *reference.work) : std::nullopt;
}

}  // namespace

std::vector<LateFigures> efficiency_beside_ungrouped(const std::vector<SummaryRow>& block) {
    const std::map<std::int64_t, Measured> cells = measured_cells(block);
    std::vector<LateFigures> late;
    for (const auto& [order, cell] : cells) {
        const CellKey& key = cell.key;
        const auto reference = std::find_if(cells.begin(), cells.end(), [&key](const auto& other) {
            return is_reference(key, other.second.key);
        });
        if (cell.has_efficiency || !cell.jain || reference == cells.end()) {
            continue;
        }
        const std::int64_t place = reference->first;
        const std::optional<double> value = efficiency(cell, reference->second);
        if (!value) {
            continue;
        }
        LateFigures figures;
        figures.order = order;
        // Jobs that can't be told apart take nothing away from what is known.
        const double fairness = *cell.jain * cell.within.value_or(1) * std::min(1.0, *value);
        figures.series = {single("efficiency", {}, value), single("fairness", {}, fairness)};
        figures.addition.details["reference_order"] = place;
        if (reference->second.tainted && place != order) {
            figures.addition.taints.push_back(fmt::format(
                "its reference, the cell without grouping (order {}), is tainted", place));
        }
        auto doubt = efficiency_taint(value, "the cell without grouping");
        if (doubt && wants_cpus_alone(key.variant)) {
            figures.addition.taints.push_back(std::move(*doubt));
        }
        late.push_back(std::move(figures));
    }
    return late;
}

}  // namespace bench::fairuser
