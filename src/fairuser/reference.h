#pragma once

#include <vector>

#include "common/bundle.h"

namespace bench::fairuser {

/// Efficiency and fairness number of the cells in `block` that have none of solo runs: each beside
/// the cell without grouping that is otherwise the same (kernel, scheduler, seed, variant). In
/// fixed work E is the reference's makespan / the cell's own; in fixed time what all users did in a
/// second / what they did in the reference, absent where the work of one is not known. The
/// reference's own E is 1. A tainted reference taints. `reference_order` in a cell of run.json is
/// the reference's place.
[[nodiscard]] std::vector<LateFigures> efficiency_beside_ungrouped(
    const std::vector<SummaryRow>& block);

}  // namespace bench::fairuser
