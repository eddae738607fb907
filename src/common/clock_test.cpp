#include "common/clock.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <set>
#include <vector>

namespace bench {
namespace {

using namespace std::chrono_literals;

TEST(Clock, HasFineSteps) {
    std::set<Duration::rep> values;
    std::set<Duration::rep> below_microsecond;
    const TimePoint start = MonotonicClock::now();
    for (int i = 0; i < 20'000; ++i) {
        const Duration since = MonotonicClock::now() - start;
        values.insert(since.count());
        below_microsecond.insert(since.count() % 1000);
    }
    // A clock of ticks, or one cut to microseconds, gives few values in so short a time.
    EXPECT_GT(values.size(), 100U);
    EXPECT_GT(below_microsecond.size(), 1U);
}

TEST(Clock, NeverGoesBack) {
    TimePoint last = MonotonicClock::now();
    for (int i = 0; i < 10'000; ++i) {
        const TimePoint now = MonotonicClock::now();
        ASSERT_GE(now, last);
        last = now;
    }
}

TEST(Clock, IsClockMonotonic) {
    timespec before{};
    timespec after{};
    clock_gettime(CLOCK_MONOTONIC, &before);
    const Duration now = MonotonicClock::now().time_since_epoch();
    clock_gettime(CLOCK_MONOTONIC, &after);
    EXPECT_GE(now, std::chrono::seconds(before.tv_sec) + std::chrono::nanoseconds(before.tv_nsec));
    EXPECT_LE(now, std::chrono::seconds(after.tv_sec) + std::chrono::nanoseconds(after.tv_nsec));
}

TEST(Clock, MeasuresItsQuality) {
    const ClockQuality quality = measure_clock();
    timespec resolution{};
    clock_getres(CLOCK_MONOTONIC, &resolution);
    EXPECT_EQ(quality.name, "CLOCK_MONOTONIC");
    EXPECT_EQ(quality.resolution, std::chrono::seconds(resolution.tv_sec) +
                                      std::chrono::nanoseconds(resolution.tv_nsec));
    EXPECT_GE(quality.cost, 1ns);
    EXPECT_GE(quality.smallest_step, 1ns);
    // A reading costs at most a system call; half of 1,000 readings can't all be preempted.
    EXPECT_LT(quality.cost, 1ms);
}

TEST(Clock, BootTimeIncludesTheTimeAsleep) {
    const Duration monotonic = MonotonicClock::now().time_since_epoch();
    EXPECT_GE(boot_time(), monotonic);
    EXPECT_GE(suspended_time(), 0ns);
    EXPECT_LE(suspended_time(), boot_time());
}

TEST(Utc, FormatsToTheSecond) {
    EXPECT_EQ(utc_basic(1'796'051'700), "20261130T151500Z");
    EXPECT_EQ(utc_extended(1'796'051'700), "2026-11-30T15:15:00Z");
    EXPECT_EQ(utc_basic(0), "19700101T000000Z");
    EXPECT_EQ(utc_extended(951'782'399), "2000-02-28T23:59:59Z");
    EXPECT_EQ(utc_extended(951'782'400), "2000-02-29T00:00:00Z");
    EXPECT_EQ(utc_extended(4'102'444'800), "2100-01-01T00:00:00Z");
    EXPECT_EQ(utc_extended(-1), "1969-12-31T23:59:59Z");
}

TEST(Utc, DoesNotDependOnTheTimeZone) {
    const char* old = getenv("TZ");
    const std::string saved = old == nullptr ? "" : old;
    setenv("TZ", "Asia/Kolkata", 1);
    tzset();
    EXPECT_EQ(utc_basic(1'796'051'700), "20261130T151500Z");
    old == nullptr ? unsetenv("TZ") : setenv("TZ", saved.c_str(), 1);
    tzset();
}

}  // namespace
}  // namespace bench
