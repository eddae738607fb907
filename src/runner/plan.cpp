#include "runner/plan.h"

#include <algorithm>

#include "common/random.h"

namespace bench {
namespace {

/// Every combination of the axes' values, the last axis fastest.
std::vector<std::vector<std::pair<std::string, std::string>>> combinations(
    const std::vector<Axis>& axes) {
    std::vector<std::vector<std::pair<std::string, std::string>>> all = {{}};
    for (const Axis& axis : axes) {
        std::vector<std::vector<std::pair<std::string, std::string>>> longer;
        for (const auto& settings : all) {
            for (const auto& value : axis.values) {
                longer.push_back(settings);
                longer.back().emplace_back(axis.option, value);
            }
        }
        all = std::move(longer);
    }
    return all;
}

void shuffle(std::vector<PlannedCell>& cells, std::uint64_t seed) {
    Random random(seed);
    for (std::size_t left = cells.size(); left > 1; --left) {
        std::swap(cells[left - 1], cells[random.below(left)]);
    }
}

constexpr std::uint64_t kOrderStream =
    0x6f72646572;  // keeps the order's draws apart from the cells' seeds

}  // namespace

std::vector<PlannedCell> order_cells(const Plan& plan) {
    std::vector<std::optional<std::int64_t>> counts(plan.clients.begin(), plan.clients.end());
    if (counts.empty()) {
        counts.emplace_back();
    }
    std::vector<PlannedCell> ordered;
    for (std::int64_t repetition = 1; repetition <= plan.repetitions; ++repetition) {
        const auto stream = static_cast<std::uint64_t>(repetition);
        std::vector<PlannedCell> cells;
        for (const auto& place : combinations(plan.places)) {
            for (const auto& settings : combinations(plan.axes)) {
                for (const auto& clients : counts) {
                    PlannedCell cell;
                    cell.clients = clients;
                    cell.repetition = repetition;
                    // 63 bits: a seed is a whole number that every reader of the CSV can hold.
                    cell.seed = derive_seed(plan.seed, stream) >> 1U;
                    cell.settings = settings;
                    cell.place = place;
                    cells.push_back(std::move(cell));
                }
            }
        }
        if (plan.order == CellOrder::random) {
            shuffle(cells, derive_seed(plan.seed ^ kOrderStream, stream));
        }
        for (auto& cell : cells) {
            cell.number = static_cast<std::int64_t>(ordered.size()) + 1;
            ordered.push_back(std::move(cell));
        }
    }
    return ordered;
}

std::vector<PlannedCell> warmup_cells(const std::vector<PlannedCell>& cells, std::int64_t count) {
    if (cells.empty()) {
        return {};
    }
    PlannedCell first = cells.front();
    first.number = 0;
    return {static_cast<std::size_t>(count), first};
}

std::vector<std::string> cell_arguments(const Plan& plan, const PlannedCell& cell) {
    std::vector<std::string> arguments = {
        "exec", plan.test, "--seed=" + std::to_string(cell.seed),
        "--cell=" + std::to_string(std::max<std::int64_t>(cell.number, 1))};
    if (cell.clients) {
        arguments.push_back("--clients=" + std::to_string(*cell.clients));
    }
    for (const auto& [option, value] : cell.settings) {
        arguments.push_back(option + "=" + value);
    }
    arguments.insert(arguments.end(), plan.common_arguments.begin(), plan.common_arguments.end());
    arguments.insert(arguments.end(), cell.arguments.begin(), cell.arguments.end());
    return arguments;
}

}  // namespace bench
