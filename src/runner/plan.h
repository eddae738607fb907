#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/units.h"

namespace bench {

/// One option that varies over the cells beside the client count: "--load" with its values.
struct Axis {
    std::string option;               ///< as the cell's command takes it: "--load"
    std::vector<std::string> values;  ///< at least one
};

enum class CellOrder { random, sequential };

/// A sweep: client counts x axes, repeated.
struct Plan {
    std::string test;
    std::vector<std::int64_t> clients;  ///< empty: the test has none
    std::vector<Axis> axes;
    std::vector<Axis> places;  ///< as axes, but for the executor: where cells run ("--kernel")
    std::vector<std::string> common_arguments;  ///< handed to every cell: "--duration=2s"
    std::int64_t repetitions = 1;
    std::int64_t warmups = 0;  ///< launches of the first cell, run before and thrown away
    CellOrder order = CellOrder::random;
    std::uint64_t seed = 1;
};

/// One launch of the sweep.
struct PlannedCell {
    std::int64_t number =
        0;  ///< its place in the run and its number in the bundle, from 1; 0 for a warm-up
    std::optional<std::int64_t> clients;
    std::int64_t repetition = 1;  ///< from 1
    std::uint64_t seed =
        1;  ///< the same for every cell of a repetition, so that they meet the same waits and data
    std::vector<std::pair<std::string, std::string>> settings;  ///< option, value: one per axis
    std::vector<std::pair<std::string, std::string>> place;     ///< the same, of Plan::places
    std::optional<std::int64_t> pair;    ///< in a comparison of two sides, from 1
    std::size_t side = 0;                ///< of the pair: 0 is A, 1 is B
    std::vector<std::string> arguments;  ///< its side's own: "--policy=idle"
};

/// All launches in the order they run. With `random` every repetition has an order of its own,
/// drawn from the plan's seed; `sequential` keeps the order written, axes outermost.
[[nodiscard]] std::vector<PlannedCell> order_cells(const Plan& plan);

/// The warm-up launches: `count` copies of the first of the cells, with number 0.
[[nodiscard]] std::vector<PlannedCell> warmup_cells(const std::vector<PlannedCell>& cells,
                                                    std::int64_t count);

/// Arguments of `bench` that run this cell: "exec", test, ... without --bundle.
[[nodiscard]] std::vector<std::string> cell_arguments(const Plan& plan, const PlannedCell& cell);

}  // namespace bench
