#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "analysis/pairing.h"

namespace bench::analysis {

/// The endpoint of one figure of one cell, and its values by replication: of the baseline, and of
/// what is compared with it.
struct SweepPart {
    Endpoint endpoint;
    std::array<std::map<std::string, double>, 2> values;
};

/// Values side by side: only whole pairs when paired.
[[nodiscard]] Replications replications_of(const std::map<std::string, double>& base,
                                           const std::map<std::string, double>& fresh,
                                           Design design);

/// One endpoint per figure over all client counts: the mean per replication of those counts that no
/// replication lacks; of logarithms (the geometric mean) when all values are above 0. In the order
/// in which the figures first appear.
[[nodiscard]] std::vector<Endpoint> sweeps_of(const std::vector<SweepPart>& parts, Design design);

}  // namespace bench::analysis
