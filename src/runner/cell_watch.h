#pragma once

#include <optional>

#include "common/guardian.h"
#include "common/stop_source.h"
#include "runner/executor.h"

namespace bench {

/// How it stands with what a guardian runs for a cell: finished, lost, or timed_out at `give_up`.
/// Absent: it still runs.
[[nodiscard]] std::optional<CellConduct> conduct_now(Guardian& guardian, TimePoint give_up);

/// Waits until `event_fd` is readable, a signal comes, `give_up` is reached or a fifth of a second
/// is over. False: the tick wants it stopped.
[[nodiscard]] bool wait_a_tick(StopSource& stop, int event_fd, TimePoint give_up,
                               const Executor::Tick& tick);

}  // namespace bench
