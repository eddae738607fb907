#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/environment.h"
#include "common/testing/fixture_tree.h"
#include "common/testing/machines.h"

namespace bench {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::FixtureTree;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Json state(const char* text) {
    return Json::parse(text);
}

TEST(MachineState, ReadsWhatMoves) {
    FixtureTree tree;
    testing::add_hybrid_cpus(tree);
    tree.file("/proc/loadavg", "0.20 1.18 12.00 3/80 11206\n")
        .file("/proc/stat",
              "cpu  1 2 3 400 50 6 7 8 1000 2000\ncpu0 1 2 3 4 5 6 7 8 9 10\nctxt 77\n"
              "processes 9\nprocs_running 4\nprocs_blocked 1\n")
        .file("/proc/pressure/cpu",
              "some avg10=1.55 avg60=0.89 avg300=0.39 total=6312491\n"
              "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n")
        .file("/proc/meminfo", "MemTotal: 9 kB\nMemAvailable:    123 kB\n")
        .file("/sys/kernel/sched_ext/state", "enabled\n")
        .file("/sys/kernel/sched_ext/root/ops", "rusty\n")
        .file("/sys/kernel/sched_ext/enable_seq", "3\n");
    EXPECT_EQ(capture_state(tree.system()).dump(),
              R"({"load_average":[0.2,1.18,12.0],"total_jiffies":477,"idle_jiffies":400,)"
              R"("steal_jiffies":8,"context_switches":77,"forks":9,"runnable":4,"blocked":1,)"
              R"("cpu_pressure_some_us":6312491,"memory_available_kib":123,"lowest_khz":800000,)"
              R"("highest_khz":5000000,)"
              R"("sched_ext":{"state":"enabled","ops":"rusty","enable_seq":3}})");
}

TEST(MachineState, HasNoStealWhereTheKernelCountsNone) {
    FixtureTree tree;
    tree.file("/proc/stat", "cpu  1 2 3 4 5 6 7\n");
    EXPECT_EQ(capture_state(tree.system()).dump(), R"({"total_jiffies":28,"idle_jiffies":4})");
}

TEST(MachineState, OfThisMachineHasAClock) {
    const Json json = capture_state(SystemRoot());
    EXPECT_GE(json.at("clock_cost_ns").get<std::int64_t>(), 1);
    EXPECT_GE(json.at("clock_smallest_step_ns").get<std::int64_t>(), 1);
    EXPECT_GE(json.at("suspended_ns").get<std::int64_t>(), 0);
    EXPECT_TRUE(json.contains("load_average"));
}

TEST(StateTaints, NeedMoreThanOnePercentOfSteal) {
    const Json before = state(R"({"steal_jiffies":10,"total_jiffies":1000})");
    EXPECT_THAT(state_taints(before, state(R"({"steal_jiffies":20,"total_jiffies":2000})")),
                IsEmpty());
    EXPECT_THAT(state_taints(before, state(R"({"steal_jiffies":33,"total_jiffies":2000})")),
                ElementsAre(AllOf(HasSubstr("2.3 %"), HasSubstr("steal"))));
    EXPECT_THAT(state_taints(before, state(R"({"steal_jiffies":11,"total_jiffies":1060})")),
                IsEmpty());
    EXPECT_THAT(state_taints(before, state(R"({"steal_jiffies":12,"total_jiffies":1060})")),
                ElementsAre(HasSubstr("3.3 %")));
    EXPECT_THAT(state_taints(before, state(R"({"steal_jiffies":33,"total_jiffies":1000})")),
                IsEmpty());
    EXPECT_THAT(state_taints(state("{}"), state(R"({"steal_jiffies":33,"total_jiffies":40})")),
                IsEmpty());
}

TEST(StateTaints, TellThrottlingWithItsQuota) {
    const Json before =
        state(R"({"throttling":[{"group":"/a","nr_throttled":2,"throttled_ns":1000},)"
              R"({"group":"/","nr_throttled":0}]})");
    EXPECT_THAT(state_taints(before, before), IsEmpty());
    const Json after = state(
        R"({"throttling":[{"group":"/a","nr_throttled":14,"throttled_ns":1500001000,)"
        R"("quota_cpus":1.5},{"group":"/","nr_throttled":0},{"group":"/new","nr_throttled":5}]})");
    EXPECT_THAT(state_taints(before, after),
                ElementsAre(AllOf(HasSubstr("cgroup /a"), HasSubstr("12 times"),
                                  HasSubstr("for 1.5"), HasSubstr("quota: 1.5 CPUs"))));
}

TEST(StateTaints, TellASchedulerThatDiedOrWasReplaced) {
    const Json rusty = state(R"({"sched_ext":{"state":"enabled","ops":"rusty","enable_seq":1}})");
    const Json reloaded =
        state(R"({"sched_ext":{"state":"enabled","ops":"rusty","enable_seq":2}})");
    const Json dead = state(R"({"sched_ext":{"state":"disabled","enable_seq":1}})");
    EXPECT_THAT(state_taints(rusty, rusty), IsEmpty());
    EXPECT_THAT(state_taints(dead, dead), IsEmpty());
    EXPECT_THAT(state_taints(state("{}"), state("{}")), IsEmpty());
    EXPECT_THAT(state_taints(rusty, dead),
                ElementsAre("sched_ext changed during the cell: enabled (rusty) before, disabled "
                            "after"));
    EXPECT_THAT(state_taints(dead, rusty), ElementsAre(HasSubstr("changed")));
    EXPECT_THAT(state_taints(rusty, state(R"({"sched_ext":{"state":"enabled","ops":"lavd"}})")),
                ElementsAre(HasSubstr("enabled (lavd) after")));
    EXPECT_THAT(state_taints(rusty, reloaded), ElementsAre(HasSubstr("was loaded during")));
    EXPECT_THAT(state_taints(dead, state(R"({"sched_ext":{"state":"disabled","enable_seq":2}})")),
                ElementsAre(HasSubstr("was loaded during")));
}

TEST(StateTaints, TellSleepAndAnotherClockSource) {
    const Json before = state(R"({"suspended_ns":5000,"clock_source":"tsc"})");
    EXPECT_THAT(state_taints(before, state(R"({"suspended_ns":5900,"clock_source":"tsc"})")),
                IsEmpty());
    EXPECT_THAT(
        state_taints(before, state(R"({"suspended_ns":62000005000,"clock_source":"hpet"})")),
        ElementsAre(AllOf(HasSubstr("suspended for"), HasSubstr("during the cell")),
                    AllOf(HasSubstr("from tsc to hpet"))));
}

}  // namespace
}  // namespace bench
