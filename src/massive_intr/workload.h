#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>

#include "common/clock.h"

namespace bench::massive_intr {

/// What every process has to do.
struct WorkOrder {
    TimePoint end;            ///< on its own clock; the loop under way then is finished and counts
    std::uint64_t loops = 1;  ///< of one piece of work
    Duration sleep{};
};

/// What one process leaves in shared memory, in cache lines of its own.
struct alignas(64) ProcessSlot {
    std::uint64_t loops = 0;      ///< works and sleeps done
    std::int64_t ended_ns = 0;    ///< CLOCK_MONOTONIC after the last one
    std::uint64_t unsampled = 0;  ///< sleeps that found no room for their sample
    std::uint32_t place = 0;      ///< in order of finish, from 0
};

/// What all processes share.
struct alignas(64) SharedState {
    std::int64_t start_ns = 0;  ///< CLOCK_MONOTONIC, taken by the parent just before the release
    std::atomic<std::uint32_t> finished = 0;
};

/// Works and sleeps until the world's clock says the end, looking at it after each sleep as the
/// classic does: at least once. Stores how much longer than asked each sleep lasted, in
/// nanoseconds, as long as there is room; a sleep without room is counted. `World` has now(),
/// work(loops) and sleep(duration).
template <class World>
void work_until_end(World& world, const WorkOrder& order, std::span<std::int64_t> oversleep_ns,
                    ProcessSlot& slot) {
    std::uint64_t loops = 0;
    TimePoint now;
    do {
        world.work(order.loops);
        const TimePoint asleep = world.now();
        world.sleep(order.sleep);
        now = world.now();
        if (loops < oversleep_ns.size()) {
            oversleep_ns[loops] = (now - asleep - order.sleep).count();
        }
        ++loops;
    } while (now < order.end);
    slot.loops = loops;
    slot.ended_ns = now.time_since_epoch().count();
    slot.unsampled = loops - std::min<std::uint64_t>(loops, oversleep_ns.size());
}

/// The world outside of tests: count_loops() and nanosleep(2).
struct Machine {
    [[nodiscard]] static TimePoint now() noexcept { return MonotonicClock::now(); }
    static void work(std::uint64_t loops) noexcept;
    /// At least `duration`, whatever interrupts it.
    static void sleep(Duration duration) noexcept;
};

/// Room for the samples of one process: twice what an undisturbed one needs, but never more than
/// sleeps alone would fill.
[[nodiscard]] std::size_t sample_room(Duration duration, Duration work, Duration sleep);

}  // namespace bench::massive_intr
