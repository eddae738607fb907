#include "massive_intr/workload.h"

#include <gmock/gmock.h>

#include <vector>

namespace bench::massive_intr {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

// 8 ms of work are 8 loops here, and time passes by work and sleep alone.
struct FakeWorld {
    TimePoint time{100ms};
    std::vector<Duration> late;  // of each sleep; then none is
    std::size_t sleeps = 0;
    Duration waiting{};  // for a CPU, in each work

    [[nodiscard]] TimePoint now() const { return time; }
    void work(std::uint64_t loops) {
        time += std::chrono::milliseconds(static_cast<std::int64_t>(loops)) + waiting;
    }
    void sleep(Duration duration) {
        time += duration + (sleeps < late.size() ? late[sleeps] : 0ns);
        ++sleeps;
    }
};

ProcessSlot run(FakeWorld& world, Duration duration, std::span<std::int64_t> samples = {}) {
    ProcessSlot slot;
    work_until_end(world, {TimePoint{100ms} + duration, 8, 1ms}, samples, slot);
    return slot;
}

TEST(WorkUntilEnd, LooksAtTheClockAfterEachSleep) {
    FakeWorld exact;
    const ProcessSlot ten = run(exact, 90ms);
    EXPECT_EQ(ten.loops, 10U);
    EXPECT_EQ(ten.ended_ns, Duration(190ms).count());
    FakeWorld over;
    const ProcessSlot eleven = run(over, 90ms + 1ns);  // the one begun is finished and counts
    EXPECT_EQ(eleven.loops, 11U);
    EXPECT_EQ(eleven.ended_ns, Duration(199ms).count());
}

TEST(WorkUntilEnd, ALateProcessDoesOneLoop) {
    FakeWorld late;
    late.time += 1h;
    EXPECT_EQ(run(late, 30s).loops, 1U);
    FakeWorld starved;
    starved.waiting = 1h;
    EXPECT_EQ(run(starved, 30s).loops, 1U);
}

TEST(WorkUntilEnd, StoresHowMuchLongerEachSleepLasted) {
    FakeWorld world;
    world.late = {50us, 0ns, 7ms};
    std::vector<std::int64_t> samples(5, -1);
    const ProcessSlot slot = run(world, 30ms, samples);
    EXPECT_EQ(slot.loops, 3U);
    EXPECT_EQ(slot.unsampled, 0U);
    EXPECT_THAT(samples, ElementsAre(50'000, 0, 7'000'000, -1, -1));
}

TEST(WorkUntilEnd, CountsSleepsThatFindNoRoom) {
    FakeWorld world;
    world.late = {1ns, 2ns};
    std::vector<std::int64_t> samples(3);
    const ProcessSlot slot = run(world, 90ms, std::span(samples).first(2));
    EXPECT_EQ(slot.loops, 10U);
    EXPECT_EQ(slot.unsampled, 8U);
    EXPECT_THAT(samples, ElementsAre(1, 2, 0));
}

TEST(SampleRoom, IsTwiceTheNeedAndNeverMoreThanSleepsCanFill) {
    EXPECT_GE(sample_room(30s, 8ms, 1ms), 2U * 3333);
    EXPECT_LE(sample_room(30s, 8ms, 1ms), 2U * 3333 + 100);
    EXPECT_EQ(sample_room(10ms, 8ms, 1ms), 11U);
    EXPECT_EQ(sample_room(1ns, 8ms, 1ms), 1U);
}

TEST(MachineSleep, LastsAtLeastAsLongAsAsked) {
    for (const Duration asked : {Duration(1us), Duration(1ms)}) {
        const TimePoint begin = Machine::now();
        Machine::sleep(asked);
        EXPECT_GE(Machine::now() - begin, asked);
    }
}

}  // namespace
}  // namespace bench::massive_intr
