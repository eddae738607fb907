#include "common/stop_source.h"

#include <gtest/gtest.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "common/testing/scoped_syscalls.h"

namespace bench {
namespace {

using namespace std::chrono_literals;

/// A pipe to stand for a load or a client.
struct Pipe {
    Fd read_end;
    Fd write_end;
    Pipe() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe(ends.data()), 0);
        read_end.reset(ends[0]);
        write_end.reset(ends[1]);
    }
};

StopSource make_source() {
    Result<StopSource> source = StopSource::create();
    EXPECT_TRUE(source.ok());
    return std::move(source).value();
}

TEST(StopSource, WaitsUntilTheTimeIsReached) {
    StopSource stop = make_source();
    const TimePoint when = MonotonicClock::now() + 5ms;
    EXPECT_EQ(stop.wait_until(when), StopReason::none);
    EXPECT_GE(MonotonicClock::now(), when);
}

TEST(StopSource, ATimeInThePastDoesNotBlock) {
    StopSource stop = make_source();
    EXPECT_EQ(stop.wait_until(TimePoint()), StopReason::none);
    EXPECT_EQ(stop.wait_until(TimePoint() - 1h), StopReason::none);
}

TEST(StopSource, DeadlineCutsAWaitShort) {
    StopSource stop = make_source();
    const TimePoint deadline = MonotonicClock::now() + 5ms;
    stop.set_deadline(deadline);
    EXPECT_EQ(stop.wait_until(deadline + 1h), StopReason::deadline);
    EXPECT_GE(MonotonicClock::now(), deadline);
    EXPECT_EQ(stop.check(), StopReason::deadline);
}

TEST(StopSource, ALaterDeadlineDoesNot) {
    StopSource stop = make_source();
    stop.set_deadline(MonotonicClock::now() + 1h);
    EXPECT_EQ(stop.wait_until(MonotonicClock::now() + 1ms), StopReason::none);
    EXPECT_EQ(stop.check(), StopReason::none);
}

TEST(StopSource, EndOfTheLoadCutsAWaitShort) {
    StopSource stop = make_source();
    Pipe load;
    stop.watch_load(load.read_end.get());
    EXPECT_EQ(stop.check(), StopReason::none);
    load.write_end.reset();
    EXPECT_EQ(stop.check(), StopReason::load_ended);
    EXPECT_EQ(stop.wait_until(MonotonicClock::now() + 1h), StopReason::load_ended);
}

TEST(StopSource, ARoundIsFinishedInSpiteOfDeadlineAndLoad) {
    StopSource stop = make_source();
    Pipe load;
    Pipe client;
    load.write_end.reset();
    stop.watch_load(load.read_end.get());
    stop.set_deadline(TimePoint());
    ASSERT_EQ(::write(client.write_end.get(), "x", 1), 1);
    EXPECT_EQ(stop.wait_readable(client.read_end.get()), StopReason::none);
    client.write_end.reset();
    EXPECT_EQ(stop.wait_readable(client.read_end.get()), StopReason::none);
}

class StopSourceSignal : public ::testing::TestWithParam<int> {};

TEST_P(StopSourceSignal, EndsEveryWaitFromThenOn) {
    StopSource stop = make_source();
    Pipe client;
    EXPECT_EQ(stop.signal_number(), 0);
    ::kill(::getpid(), GetParam());
    EXPECT_EQ(stop.wait_until(MonotonicClock::now() + 1h), StopReason::signal);
    EXPECT_EQ(stop.signal_number(), GetParam());
    EXPECT_EQ(stop.check(), StopReason::signal);
    EXPECT_EQ(stop.wait_readable(client.read_end.get()), StopReason::signal);
    EXPECT_EQ(stop.wait_until(MonotonicClock::now() + 1h), StopReason::signal);
}

INSTANTIATE_TEST_SUITE_P(All, StopSourceSignal, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST(StopSource, CheckTakesASignalWithoutWaiting) {
    StopSource stop = make_source();
    ::kill(::getpid(), SIGTERM);
    EXPECT_EQ(stop.check(), StopReason::signal);
    EXPECT_EQ(stop.signal_number(), SIGTERM);
}

TEST(StopSource, TakesAnIgnoredInterruptButLeavesAnIgnoredHangup) {
    ::signal(SIGINT, SIG_IGN);
    ::signal(SIGHUP, SIG_IGN);
    sigset_t hangup;
    sigemptyset(&hangup);
    sigaddset(&hangup, SIGHUP);
    ::pthread_sigmask(SIG_UNBLOCK, &hangup, nullptr);  // another test's source blocked it
    StopSource stop = make_source();
    ::kill(::getpid(), SIGHUP);
    EXPECT_EQ(stop.check(), StopReason::none);
    ::kill(::getpid(), SIGINT);
    EXPECT_EQ(stop.check(), StopReason::signal);
    EXPECT_EQ(stop.signal_number(), SIGINT);
    ::signal(SIGHUP, SIG_DFL);
}

volatile std::sig_atomic_t alarms = 0;

TEST(StopSource, InterruptedWaitsGoOn) {
    StopSource stop = make_source();
    alarms = 0;
    struct sigaction action = {};
    action.sa_handler = [](int) { alarms = alarms + 1; };  // without SA_RESTART
    ::sigaction(SIGALRM, &action, nullptr);
    const itimerval often{{0, 500}, {0, 500}};
    ::setitimer(ITIMER_REAL, &often, nullptr);
    while (alarms < 20) {
        const TimePoint when = MonotonicClock::now() + 10ms;
        ASSERT_EQ(stop.wait_until(when), StopReason::none);
        ASSERT_GE(MonotonicClock::now(), when);
    }
    const itimerval never{};
    ::setitimer(ITIMER_REAL, &never, nullptr);
    ::signal(SIGALRM, SIG_DFL);
}

int interruptions_left = 0;

TEST(StopSource, AnInterruptedReadOfTheSignalIsTriedAgain) {
    StopSource stop = make_source();
    testing::ScopedSyscalls calls;
    interruptions_left = 2;
    calls->read = [](int fd, void* buffer, std::size_t size) -> ssize_t {
        if (interruptions_left > 0) {
            --interruptions_left;
            errno = EINTR;
            return -1;
        }
        return ::read(fd, buffer, size);
    };
    ::kill(::getpid(), SIGTERM);
    EXPECT_EQ(stop.check(), StopReason::signal);
    EXPECT_EQ(interruptions_left, 0);
}

}  // namespace
}  // namespace bench
