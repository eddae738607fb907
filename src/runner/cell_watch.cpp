#include "runner/cell_watch.h"

#include <algorithm>

namespace bench {

std::optional<CellConduct> conduct_now(Guardian& guardian, TimePoint give_up) {
    // Read first: after a long stop (Ctrl-Z) the cell may have ended in time.
    const bool late = MonotonicClock::now() >= give_up;
    if (!guardian.poll_exits().empty()) {
        return CellConduct::finished;
    }
    if (guardian.gone()) {
        return CellConduct::lost;
    }
    return late ? std::optional(CellConduct::timed_out) : std::nullopt;
}

bool wait_a_tick(StopSource& stop, int event_fd, TimePoint give_up, const Executor::Tick& tick) {
    constexpr Duration kTick = std::chrono::milliseconds(200);
    stop.watch_load(event_fd);
    (void)stop.wait_until(std::min(MonotonicClock::now() + kTick, give_up));
    stop.watch_load(-1);
    return tick();
}

}  // namespace bench
