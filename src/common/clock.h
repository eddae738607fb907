#pragma once

#include <ctime>

#include "common/units.h"

namespace bench {

/// CLOCK_MONOTONIC, the clock of every latency here: one clock for all CPUs, unmoved by
/// settimeofday. It stands still while the machine is suspended.
struct MonotonicClock {
    using rep = Duration::rep;
    using period = Duration::period;
    using duration = Duration;
    using time_point = std::chrono::time_point<MonotonicClock>;
    static constexpr bool is_steady = true;

    /// About 20 ns through the vDSO; fit for a timed path.
    static time_point now() noexcept {
        timespec ts;
        clock_gettime(CLOCK_MONOTONIC, &ts);
        return time_point(std::chrono::seconds(ts.tv_sec) + std::chrono::nanoseconds(ts.tv_nsec));
    }
};

using TimePoint = MonotonicClock::time_point;

/// How good the clock is on this machine.
struct ClockQuality {
    std::string name;       ///< "CLOCK_MONOTONIC"
    Duration resolution{};  ///< as clock_getres(2) tells
    Duration cost{};  ///< of one reading: the median of 1,000 readings back to back, at least 1 ns
    Duration smallest_step{};  ///< the smallest difference above 0 seen between two readings
};

/// Measures it; takes well under 10 ms.
[[nodiscard]] ClockQuality measure_clock();

/// Time since boot with time asleep (CLOCK_BOOTTIME). Its lead over CLOCK_MONOTONIC grows when the
/// machine is suspended: take suspended_time() before and after a run, the difference is the time
/// asleep.
[[nodiscard]] Duration boot_time();

/// CLOCK_BOOTTIME less CLOCK_MONOTONIC: all the time this boot has spent suspended.
[[nodiscard]] Duration suspended_time();

/// UTC as "20261130T151500Z" (basic format, to the second), for names of bundles.
[[nodiscard]] std::string utc_basic(std::time_t seconds_since_epoch);

/// UTC as "2026-11-30T15:15:00Z".
[[nodiscard]] std::string utc_extended(std::time_t seconds_since_epoch);

}  // namespace bench
