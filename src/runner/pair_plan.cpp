#include "runner/pair_plan.h"

#include <utility>

#include "common/random.h"

namespace bench {
namespace {

constexpr std::uint64_t kPairStream = 0x7061697273;  // apart from the cells' seeds

template <class T>
void shuffle(std::vector<T>& values, Random& random) {
    for (std::size_t left = values.size(); left > 1; --left) {
        std::swap(values[left - 1], values[random.below(left)]);
    }
}

/// Which side goes first in each pair of a part of the plan: half and half.
std::vector<std::size_t> first_sides(std::uint64_t pairs, Random& random) {
    std::vector<std::size_t> first(pairs);
    const std::size_t start = random.below(2);
    for (std::size_t i = 0; i < first.size(); ++i) {
        first[i] = (start + i) % 2;
    }
    shuffle(first, random);
    return first;
}

}  // namespace

std::vector<PlannedCell> order_pairs(const Plan& plan, const PairPlan& pairs) {
    std::vector<std::optional<std::int64_t>> counts(plan.clients.begin(), plan.clients.end());
    if (counts.empty()) {
        counts.emplace_back();
    }
    Random random(derive_seed(plan.seed, kPairStream));
    std::vector<PlannedCell> cells;
    std::uint64_t begin = 0;
    for (const std::uint64_t end : pairs.looks) {
        std::vector<std::vector<std::size_t>> first;  // by client count
        for (std::size_t i = 0; i < counts.size(); ++i) {
            first.push_back(first_sides(end - begin, random));
        }
        for (std::uint64_t pair = begin; pair < end; ++pair) {
            std::vector<std::size_t> order(counts.size());
            for (std::size_t i = 0; i < order.size(); ++i) {
                order[i] = i;
            }
            shuffle(order, random);
            for (const std::size_t place : order) {
                for (std::size_t turn = 0; turn < 2; ++turn) {
                    PlannedCell cell;
                    cell.number = static_cast<std::int64_t>(cells.size()) + 1;
                    cell.clients = counts[place];
                    cell.repetition = static_cast<std::int64_t>(pair) + 1;
                    cell.pair = cell.repetition;
                    cell.seed = derive_seed(plan.seed, pair + 1) >> 1U;
                    cell.side = (first[place][pair - begin] + turn) % 2;
                    cell.arguments = pairs.sides[cell.side];
                    cells.push_back(std::move(cell));
                }
            }
        }
        begin = end;
    }
    return cells;
}

}  // namespace bench
