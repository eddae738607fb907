#pragma once

#include <cstdint>

namespace bench::massive_intr {

/// Counts down from `loops` and does nothing else: no memory is touched, no call is made. One copy
/// of the code serves calibration and workload, so both run at the same speed. Under
/// workloads_pause (common/guest_pause.h) with a PAUSE now and then.
void count_loops(std::uint64_t loops) noexcept;

}  // namespace bench::massive_intr
