#include "massive_intr/series.h"

#include <gmock/gmock.h>

namespace bench::massive_intr {
namespace {

using namespace std::chrono_literals;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Series& find(const std::vector<Series>& all, std::string_view name,
                   std::string_view subject = {}) {
    for (const Series& series : all) {
        if (series.metric.name == name && series.subject == subject) {
            return series;
        }
    }
    ADD_FAILURE() << "no series " << name << " of '" << subject << "'";
    static const Series none;
    return none;
}

ProcessRecord process(std::uint64_t loops, Duration elapsed) {
    ProcessRecord record;
    record.loops = loops;
    record.elapsed = elapsed;
    return record;
}

TEST(LoopSeries, AreTheCellAndEachProcess) {
    const auto all = loop_series({2, 4});
    EXPECT_THAT(find(all, "loops").values, ElementsAre(2, 4));
    EXPECT_THAT(find(all, "loops").clients, ElementsAre(0, 1));
    EXPECT_THAT(find(all, "loops", "0").values, ElementsAre(2));
    EXPECT_THAT(find(all, "loops", "1").values, ElementsAre(4));
    EXPECT_THAT(find(all, "loops_cv").values, ElementsAre(DoubleNear(1.0 / 3, 1e-12)));
    EXPECT_THAT(find(all, "jain").values, ElementsAre(DoubleNear(0.9, 1e-12)));
}

TEST(LoopSeries, ALoneProcessIsNeitherFairNorUnfair) {
    const auto all = loop_series({7});
    EXPECT_THAT(find(all, "loops").values, ElementsAre(7));
    EXPECT_THAT(find(all, "loops_cv").values, IsEmpty());
    EXPECT_THAT(find(all, "jain").values, IsEmpty());
}

TEST(MakeFigures, EveryMetricHasItsSeries) {
    const Figures figures = make_figures({process(1, 1s), process(2, 1s)}, 8ms);
    for (const Metric& metric : metrics()) {
        const Series& series = find(figures.series, metric.name);
        EXPECT_EQ(series.metric.unit, metric.unit);
        EXPECT_EQ(series.metric.better, metric.better);
    }
    EXPECT_THAT(figures.taints, IsEmpty());
}

TEST(MakeFigures, WorkIsDividedByEachProcessesOwnTime) {
    const Figures figures = make_figures({process(100, 1s), process(100, 2s)}, 8ms);
    EXPECT_THAT(find(figures.series, "work_rate").values, ElementsAre(DoubleNear(1.2, 1e-12)));
}

TEST(CpuSpeed, IsWorkDoneByCpuTimeTaken) {
    Recording recording{process(100, 1s), process(50, 1s)};
    recording[0].accounting.cpu_time_ns = 1'000'000'000;
    EXPECT_EQ(cpu_speed(recording, 8ms), std::nullopt);  // nobody accounted for the other one
    recording[1].accounting.cpu_time_ns = 500'000'000;
    EXPECT_THAT(cpu_speed(recording, 8ms), testing::Optional(DoubleNear(0.8, 1e-12)));
    EXPECT_THAT(find(make_figures(recording, 8ms).series, "cpu_speed").values,
                ElementsAre(DoubleNear(0.8, 1e-12)));
}

TEST(CpuSpeed, IsRemarkedOnWhenItChangedByMoreThanATwentieth) {
    EXPECT_EQ(cpu_speed_note(std::nullopt), std::nullopt);
    EXPECT_EQ(cpu_speed_note(0.96), std::nullopt);
    EXPECT_EQ(cpu_speed_note(1.04), std::nullopt);
    EXPECT_THAT(cpu_speed_note(0.82), testing::Optional(HasSubstr("at 82 % of the speed")));
    EXPECT_THAT(cpu_speed_note(0.82), testing::Optional(HasSubstr("fewer for it")));
    EXPECT_THAT(cpu_speed_note(1.5), testing::Optional(HasSubstr("more for it")));
}

TEST(MakeFigures, SleepsSayWhoSlept) {
    Recording recording{process(2, 1s), process(1, 1s)};
    recording[0].oversleep_ns = {5, 6};
    recording[1].oversleep_ns = {7};
    const Figures figures = make_figures(recording, 8ms);
    EXPECT_THAT(find(figures.series, "oversleep").values, ElementsAre(5, 6, 7));
    EXPECT_THAT(find(figures.series, "oversleep").clients, ElementsAre(0, 0, 1));
}

TEST(MakeFigures, SleepsThatFoundNoRoomAreADoubt) {
    Recording recording{process(3, 1s)};
    recording[0].oversleep_ns = {5};
    recording[0].unsampled = 2;
    EXPECT_THAT(make_figures(recording, 8ms).taints,
                ElementsAre(HasSubstr("2 of 3 sleeps are not in oversleep")));
}

TEST(MakeFigures, AccountsAreOneValueAProcessAndAbsentWhereTheKernelKeepsNone) {
    Recording recording{process(1, 2s), process(1, 1s)};
    recording[0].accounting = {.run_delay_ns = std::nullopt,
                               .cpu_time_ns = 1'000'000'000,
                               .voluntary_switches = 3,
                               .involuntary_switches = 4};
    recording[1].accounting = {.run_delay_ns = 9,
                               .cpu_time_ns = std::nullopt,
                               .voluntary_switches = 5,
                               .involuntary_switches = 6};
    const Figures figures = make_figures(recording, 8ms);
    EXPECT_THAT(find(figures.series, "run_delay").values, ElementsAre(9));
    EXPECT_THAT(find(figures.series, "run_delay").clients, ElementsAre(1));
    EXPECT_THAT(find(figures.series, "cpu_share").values, ElementsAre(0.5));
    EXPECT_THAT(find(figures.series, "ctx_voluntary").values, ElementsAre(3, 5));
    EXPECT_THAT(find(figures.series, "ctx_involuntary").values, ElementsAre(4, 6));
}

TEST(Overrun, IsADoubtFromATenthOfTheDurationOn) {
    using namespace std::chrono_literals;
    Recording recording(2);
    recording[0].elapsed = 1s;
    recording[1].elapsed = 1100ms;
    EXPECT_EQ(overrun_taint(recording, 1s), std::nullopt);
    recording[1].elapsed = 4700ms;
    const auto taint = overrun_taint(recording, 1s);
    ASSERT_TRUE(taint);
    EXPECT_NE(taint->find(" s instead of 1s"), std::string::npos) << *taint;
}

TEST(CoarseTimers, AreADoubtThatNamesTheTick) {
    const auto taint = coarse_timer_taint(10ms, 1ms);
    ASSERT_TRUE(taint);
    EXPECT_THAT(*taint, HasSubstr("the resolution of sleeps is 10ms"));
    EXPECT_THAT(*taint, HasSubstr("one of 1ms lasts up to 11ms"));
    EXPECT_TRUE(coarse_timer_taint(1ms, 1ms));    // a kernel with HZ=1000
    EXPECT_TRUE(coarse_timer_taint(4ms, 100ms));  // still off by up to 4 %
    EXPECT_FALSE(coarse_timer_taint(1ns, 1ms));
    EXPECT_FALSE(coarse_timer_taint(1ns, 1us));
}

}  // namespace
}  // namespace bench::massive_intr
