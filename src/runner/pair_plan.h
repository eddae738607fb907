#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "runner/plan.h"

namespace bench {

/// A comparison of two sides by adjacent pairs.
struct PairPlan {
    std::array<std::vector<std::string>, 2> sides;  ///< arguments of A and B
    std::vector<std::uint64_t> looks;               ///< numbers of pairs, ascending, not empty
};

/// All launches up to the last look. Each pair has A and B of each client count back to back: the
/// client counts in random order, and which side goes first at random as well, half the time A
/// between one look and the next (one more or less where that number is odd). Both sides of a pair
/// have the same seed. `plan` has no axes; its order is not looked at.
[[nodiscard]] std::vector<PlannedCell> order_pairs(const Plan& plan, const PairPlan& pairs);

}  // namespace bench
