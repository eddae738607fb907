#include "common/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace bench {

namespace {

Duration read_clock(clockid_t clock) {
    timespec ts{};
    clock_gettime(clock, &ts);
    return std::chrono::seconds(ts.tv_sec) + std::chrono::nanoseconds(ts.tv_nsec);
}

tm utc(std::time_t seconds) {
    tm parts{};
    gmtime_r(&seconds, &parts);
    return parts;
}

}  // namespace

ClockQuality measure_clock() {
    constexpr std::size_t kReadings = 1000;
    std::array<TimePoint, kReadings + 1> readings;
    for (TimePoint& reading : readings) {
        reading = MonotonicClock::now();
    }
    std::array<Duration, kReadings> steps;
    for (std::size_t i = 0; i < kReadings; ++i) {
        steps[i] = readings[i + 1] - readings[i];
    }
    std::sort(steps.begin(), steps.end());

    ClockQuality quality;
    quality.name = "CLOCK_MONOTONIC";
    quality.cost = std::max(steps[kReadings / 2], Duration(1));
    const auto* smallest = std::upper_bound(steps.begin(), steps.end(), Duration(0));
    if (smallest != steps.end()) {
        quality.smallest_step = *smallest;
    } else {
        // A clock that stood still for 1,000 readings moves in ticks: wait for one.
        const TimePoint from = MonotonicClock::now();
        TimePoint to = from;
        while (to == from) {
            to = MonotonicClock::now();
        }
        quality.smallest_step = to - from;
    }
    timespec resolution{};
    clock_getres(CLOCK_MONOTONIC, &resolution);
    quality.resolution =
        std::chrono::seconds(resolution.tv_sec) + std::chrono::nanoseconds(resolution.tv_nsec);
    return quality;
}

Duration boot_time() {
    return read_clock(CLOCK_BOOTTIME);
}

Duration suspended_time() {
    // Two clocks can't be read at once; of a few tries the least lead is the truest.
    Duration least = Duration::max();
    for (int i = 0; i < 5; ++i) {
        const Duration monotonic = read_clock(CLOCK_MONOTONIC);
        least = std::min(least, read_clock(CLOCK_BOOTTIME) - monotonic);
    }
    return least;
}

std::string utc_basic(std::time_t seconds_since_epoch) {
    const tm t = utc(seconds_since_epoch);
    return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", t.tm_year + 1900, t.tm_mon + 1,
                       t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec);
}

std::string utc_extended(std::time_t seconds_since_epoch) {
    const tm t = utc(seconds_since_epoch);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", t.tm_year + 1900, t.tm_mon + 1,
                       t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec);
}

}  // namespace bench
