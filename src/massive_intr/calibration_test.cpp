#include "massive_intr/calibration.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "common/random.h"
#include "common/testing/scoped_affinity.h"
#include "common/testing/scoped_stop_source.h"
#include "massive_intr/busy_loop.h"

namespace bench::massive_intr {
namespace {

using namespace std::chrono_literals;
using bench::testing::ScopedAffinity;
using ::testing::HasSubstr;

/// A machine whose time passes by what it counts alone.
class FakeMachine {
  public:
    double loops_per_ns = 2.5;
    /// Called after each chunk and each rest with the time since the start; may change the speed
    /// and gives what the chunk lasts longer.
    std::function<Duration(Duration)> disturb = [](Duration) { return 0ns; };
    std::function<void(int)> before_round = [](int) {};
    bool stopped = false;

    Result<Calibration> calibrate() {
        before_round(0);
        return massive_intr::calibrate({.now = [this] { return now_; },
                                        .count = [this](std::uint64_t loops) { count(loops); },
                                        .rest = [this] { rest(); },
                                        .stopped = [this] { return stopped; }});
    }

    [[nodiscard]] Duration elapsed() const { return now_.time_since_epoch(); }

  private:
    void count(std::uint64_t loops) {
        now_ += Duration(std::llround(static_cast<double>(loops) / loops_per_ns));
        now_ += disturb(elapsed());
    }
    void rest() {
        now_ += 1ms;
        before_round(++round_);
    }

    TimePoint now_{};
    int round_ = 0;
};

void expect_speed(const Result<Calibration>& result, double loops_per_ms) {
    ASSERT_TRUE(result.ok()) << result.error().message();
    // 1 ns in a chunk of 500 us.
    EXPECT_NEAR(static_cast<double>(result->loops_per_ms), loops_per_ms, loops_per_ms * 1e-5);
    EXPECT_LE(result->spread, calibration_tolerance);
    EXPECT_FALSE(result->given);
}

TEST(Calibrate, FindsTheSpeedOfASteadyMachineWhateverItIs) {
    // 0.33 to 70 ns a loop: none of them a whole number of nanoseconds.
    for (const double loops_per_ns : {3.01, 0.7, 0.0143}) {
        FakeMachine machine;
        machine.loops_per_ns = loops_per_ns;
        const auto result = machine.calibrate();
        ASSERT_TRUE(result.ok()) << result.error().message();
        EXPECT_NEAR(static_cast<double>(result->loops_per_ms), loops_per_ns * 1e6,
                    loops_per_ns * 1e6 * 2e-4);
        EXPECT_LT(machine.elapsed(), 1s);
    }
}

TEST(Calibrate, IsNotDeceivedByAHogThatDisturbsMostChunks) {
    FakeMachine machine;
    Random random(7);
    machine.disturb = [&random](Duration) {
        return random.between(0, 9) < 8 ? Duration(random.between(10'000, 4'000'000)) : 0ns;
    };
    const auto result = machine.calibrate();
    expect_speed(result, 2.5e6);
    EXPECT_LT(machine.elapsed(), 10s);
}

TEST(Calibrate, GivesUpOnASpeedThatNeverSettles) {
    FakeMachine machine;
    machine.before_round = [&machine](int round) {
        machine.loops_per_ns = 2.5 * (round % 2 == 0 ? 1.0 : 1.02);
    };
    const auto result = machine.calibrate();
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.error().message(), HasSubstr("did not settle within 8s"));
    EXPECT_THAT(result.error().message(), HasSubstr("differ by 2.0 %"));
    EXPECT_GE(machine.elapsed(), calibration_patience);
    EXPECT_LT(machine.elapsed(), 10s);
}

TEST(Calibrate, TakesRoundsThatDifferByLessThanTheTolerance) {
    FakeMachine machine;
    machine.before_round = [&machine](int round) {
        machine.loops_per_ns = 2.5 * (round % 2 == 0 ? 1.0 : 1.005);
    };
    expect_speed(machine.calibrate(), 2.5e6 * 1.005);
}

TEST(Calibrate, GivesUpWhereNotEvenARoundCanBeDone) {
    FakeMachine machine;
    machine.disturb = [](Duration) { return 1s; };
    const auto result = machine.calibrate();
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.error().message(), HasSubstr("rounds were done"));
}

TEST(Calibrate, WaitsForAClockThatSpeedsUp) {
    // In one step, and slowly.
    FakeMachine step;
    step.loops_per_ns = 1.0;
    step.disturb = [&step](Duration elapsed) {
        step.loops_per_ns = elapsed < 150ms ? 1.0 : 3.0;
        return 0ns;
    };
    expect_speed(step.calibrate(), 3e6);
    FakeMachine ramp;
    ramp.loops_per_ns = 1.0;
    ramp.disturb = [&ramp](Duration elapsed) {
        ramp.loops_per_ns = std::min(1.0 + static_cast<double>(elapsed.count()) / 1e9, 3.0);
        return 0ns;
    };
    expect_speed(ramp.calibrate(), 3e6);
}

TEST(Calibrate, FollowsAClockThatSlowsDownForGood) {
    FakeMachine machine;
    machine.disturb = [&machine](Duration elapsed) {
        machine.loops_per_ns = elapsed < 190ms ? 3.0 : 2.0;
        return 0ns;
    };
    expect_speed(machine.calibrate(), 2e6);
}

TEST(Calibrate, AClockThatStandsStillIsAnError) {
    const TimePoint always{};
    const auto result = calibrate({.now = [always] { return always; },
                                   .count = [](std::uint64_t) {},
                                   .rest = [] {},
                                   .stopped = [] { return false; }});
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.error().message(), HasSubstr("the clock does not move"));
}

TEST(Calibrate, StopsWhenTold) {
    FakeMachine machine;
    machine.before_round = [&machine](int round) { machine.stopped = round == 2; };
    const auto result = machine.calibrate();
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.error().message(), HasSubstr("stopped by a signal"));
    EXPECT_LT(machine.elapsed(), calibration_patience);
}

TEST(CountLoops, EveryLoopTakesItsTime) {
    // The least of many tries, long and short in turns: a ratio of one machine in one run.
    constexpr std::uint64_t kShort = 100'000;
    Duration least_short = Duration::max();
    Duration least_long = Duration::max();
    for (int i = 0; i < 200; ++i) {
        const TimePoint begin = MonotonicClock::now();
        count_loops(kShort);
        const TimePoint middle = MonotonicClock::now();
        count_loops(10 * kShort);
        least_short = std::min(least_short, middle - begin);
        least_long = std::min(least_long, MonotonicClock::now() - middle);
    }
    const double ratio =
        static_cast<double>(least_long.count()) / static_cast<double>(least_short.count());
    EXPECT_GT(ratio, 5.0);
    EXPECT_LT(ratio, 20.0);
}

class CalibrateHere : public ::testing::Test {
  protected:
    bench::testing::ScopedStopSource stop_;
};

TEST_F(CalibrateHere, GivesTheMaskBack) {
    const ScopedAffinity affinity;
    const auto result = calibrate_here(*stop_);
    EXPECT_EQ(*get_affinity(), affinity.saved());
    // Whether a machine that others share settles is not for a test to ask.
    if (result) {
        EXPECT_GT(result->loops_per_ms, 0);
        EXPECT_TRUE(affinity.saved().contains(result->cpu));
    }
}

TEST_F(CalibrateHere, ASignalEndsItAndTheMaskIsBackAllTheSame) {
    const ScopedAffinity affinity;
    ::kill(::getpid(), SIGTERM);
    const auto result = calibrate_here(*stop_);
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.error().message(), HasSubstr("stopped by a signal"));
    EXPECT_EQ(stop_->signal_number(), SIGTERM);
    EXPECT_EQ(*get_affinity(), affinity.saved());
}

}  // namespace
}  // namespace bench::massive_intr
