#include "massive_intr/session.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <set>

#include "common/testing/processes.h"
#include "common/testing/scoped_stop_source.h"
#include "massive_intr/classic.h"
#include "massive_intr/workload.h"

namespace bench::massive_intr {
namespace {

using namespace std::chrono_literals;
using bench::testing::has_no_children;
using ::testing::SizeIs;

// Puts back the signal mask, which StopSource takes for itself.
class SessionTest : public ::testing::Test {
  protected:
    static SessionPlan small_plan() {
        return {.processes = 3, .duration = 100ms, .work = 1ms, .sleep = 1ms, .loops = 1000};
    }
    StopSource& stop() { return *stop_; }
    Result<Recording> run(const SessionPlan& plan) {
        return run_session(plan, *stop_, SystemRoot());
    }

  private:
    bench::testing::ScopedStopSource stop_;
};

TEST_F(SessionTest, EachProcessRunsToTheEndByItsOwnClock) {
    const auto recording = run(small_plan());
    ASSERT_TRUE(recording.ok()) << recording.error().message();
    ASSERT_THAT(*recording, SizeIs(3));
    std::set<pid_t> pids;
    std::set<std::uint32_t> places;
    for (const ProcessRecord& process : *recording) {
        EXPECT_GE(process.loops, 1U);
        EXPECT_GE(process.elapsed, 100ms);
        // Each loop slept: no process can have done more than its time allows.
        EXPECT_LE(Duration(1ms) * static_cast<std::int64_t>(process.loops), process.elapsed);
        EXPECT_EQ(process.oversleep_ns.size() + process.unsampled, process.loops);
        for (const std::int64_t oversleep : process.oversleep_ns) {
            EXPECT_GE(oversleep, 0);
        }
        EXPECT_TRUE(process.accounting.cpu_time_ns.has_value());
        EXPECT_GT(process.accounting.voluntary_switches, 0U);
        EXPECT_FALSE(process.readback.cpus_allowed.empty());
        pids.insert(process.pid);
        places.insert(process.place);
    }
    EXPECT_THAT(pids, SizeIs(3));
    EXPECT_EQ(places, (std::set<std::uint32_t>{0, 1, 2}));
    EXPECT_TRUE(has_no_children());
}

TEST_F(SessionTest, MoreSleepsThanThereIsRoomForAreCounted) {
    // A nominal work of an hour leaves room for a few samples; the true one takes no time.
    SessionPlan plan = small_plan();
    plan.processes = 1;
    plan.duration = 500ms;
    plan.work = 1h;
    plan.sleep = 1us;
    plan.loops = 1;
    const auto recording = run(plan);
    ASSERT_TRUE(recording.ok()) << recording.error().message();
    const ProcessRecord& process = recording->front();
    const std::size_t room = sample_room(plan.duration, plan.work, plan.sleep);
    ASSERT_GT(process.loops, room);
    EXPECT_THAT(process.oversleep_ns, SizeIs(room));
    EXPECT_EQ(process.unsampled, process.loops - room);
}

TEST_F(SessionTest, AWorkThatOutlastsTheEndIsFinishedAndCounts) {
    SessionPlan plan = small_plan();
    plan.duration = 1ns;
    const auto recording = run(plan);
    ASSERT_TRUE(recording.ok()) << recording.error().message();
    for (const ProcessRecord& process : *recording) {
        EXPECT_EQ(process.loops, 1U);
    }
}

TEST_F(SessionTest, ALoadThatEndsChangesNothing) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    ::close(ends[1]);
    stop().watch_load(ends[0]);  // hung up from the beginning
    const auto recording = run(small_plan());
    ::close(ends[0]);
    ASSERT_TRUE(recording.ok()) << recording.error().message();
    for (const ProcessRecord& process : *recording) {
        EXPECT_GE(process.elapsed, 100ms);
    }
}

TEST_F(SessionTest, ASignalEndsItAndLeavesNoProcess) {
    SessionPlan plan = small_plan();
    plan.duration = 10min;
    const pid_t parent = ::getpid();
    const pid_t sender = ::fork();
    if (sender == 0) {
        ::usleep(200'000);  // before or after the release: the end is the same
        ::kill(parent, SIGTERM);
        ::_exit(0);
    }
    const auto recording = run(plan);
    int status = 0;
    ::waitpid(sender, &status, 0);
    ASSERT_FALSE(recording.ok());
    EXPECT_EQ(stop().signal_number(), SIGTERM);
    EXPECT_TRUE(has_no_children());
}

TEST(SessionMemory, GrowsWithProcessesAndTime) {
    SessionPlan plan{.processes = 1, .duration = 30s, .work = 8ms, .sleep = 1ms};
    const std::uint64_t one = session_memory(plan);
    EXPECT_GT(one, 2ULL * 3333 * sizeof(std::int64_t));
    plan.processes = 1500;
    EXPECT_EQ(session_memory(plan), 1500 * one);
    EXPECT_LT(session_memory(plan), 100ULL << 20U);
}

TEST(ClassicReport, IsOneLineAProcessInOrderOfFinish) {
    Recording recording(3);
    constexpr std::array<std::uint32_t, 3> places{2, 0, 1};
    for (std::size_t i = 0; i < places.size(); ++i) {
        recording[i].pid = static_cast<pid_t>(3873 + i);
        recording[i].loops = 240 + i;
        recording[i].place = places[i];
    }
    recording[2].pid = 1234567;
    EXPECT_EQ(classic_report(recording),
              "003874\t00000241\n"
              "1234567\t00000242\n"
              "003873\t00000240\n");
}

}  // namespace
}  // namespace bench::massive_intr
