#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "common/deadline_admission.h"
#include "common/testing/fixture_tree.h"
#include "common/testing/machines.h"
#include "common/worker_settings.h"

namespace bench {
namespace {

using ::testing::AllOf;
using testing::FixtureTree;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kAllCapabilities = "000001ffffffffff";
constexpr const char* kNoCapability = "0000000000000000";

void add_rights(FixtureTree& tree, std::string_view capabilities, std::string_view rtprio = "0",
                std::string_view nice = "0") {
    tree.file("/proc/self/status",
              fmt::format("Name:\tbench\nCapEff:\t{}\nSeccomp:\t0\n", capabilities));
    tree.file("/proc/self/uid_map", "         0          0 4294967295\n");
    tree.file(
        "/proc/self/limits",
        fmt::format("Limit                     Soft Limit           Hard Limit           Units\n"
                    "Max nice priority         {:<20} {:<20}\n"
                    "Max realtime priority     {:<20} {:<20}\n",
                    nice, nice, rtprio, rtprio));
}

/// cgroup v1 with the cpu controller in a group of our own.
void add_v1_cpu_group(FixtureTree& tree, std::string_view budget) {
    tree.file("/proc/self/cgroup", "1:cpu,cpuacct:/box\n");
    tree.file("/proc/self/mountinfo",
              "31 23 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n");
    tree.file("/sys/fs/cgroup/cpu/box/cpu.rt_runtime_us", budget);
}

void add_admission(FixtureTree& tree, std::string_view release,
                   std::string_view runtime = "950000") {
    testing::add_kernel(tree, release);
    tree.file("/proc/sys/kernel/sched_rt_runtime_us", runtime);
    tree.file("/proc/sys/kernel/sched_rt_period_us", "1000000\n");
    tree.file("/sys/devices/system/cpu/online", "0-1\n");
}

WorkerSettings with_policy(std::string_view text) {
    WorkerSettings settings;
    settings.policy = parse_policy(text).value();
    return settings;
}

std::string explain(const WorkerSettings& settings, int code, const FixtureTree& tree,
                    std::uint32_t workers = 1) {
    const Error refused{code, "sched_setattr", "policy", {}};
    return explain_refusal(refused, settings, workers, tree.system()).message();
}

TEST(ExplainRefusal, NamesTheRealtimeLimitOfAUserWithoutTheCapability) {
    FixtureTree tree;
    add_rights(tree, kNoCapability, "10");
    EXPECT_THAT(explain(with_policy("fifo:80"), EPERM, tree),
                AllOf(HasSubstr("CAP_SYS_NICE is missing"),
                      HasSubstr("RLIMIT_RTPRIO is 10, priorities 1..10 are allowed")));
    add_rights(tree, kNoCapability, "0");
    EXPECT_THAT(explain(with_policy("rr:1"), EPERM, tree), HasSubstr("RLIMIT_RTPRIO is 0"));
}

TEST(ExplainRefusal, TellsAnEmptyRealtimeBudgetFromAMissingCapability) {
    FixtureTree tree;
    add_rights(tree, kAllCapabilities);
    add_v1_cpu_group(tree, "0\n");
    EXPECT_THAT(explain(with_policy("fifo:50"), EPERM, tree),
                AllOf(HasSubstr("CAP_SYS_NICE is there"),
                      HasSubstr("real-time budget of the cpu cgroup /box is 0"),
                      Not(HasSubstr("missing"))));
}

TEST(ExplainRefusal, DoesNotBlameABudgetThatIsThere) {
    FixtureTree tree;
    add_rights(tree, kAllCapabilities);
    add_v1_cpu_group(tree, "950000\n");
    EXPECT_THAT(explain(with_policy("fifo:50"), EPERM, tree), Not(HasSubstr("budget")));
}

TEST(ExplainRefusal, KnowsThatGroupsOfCgroup2HaveNoBudgetAtAll) {
    FixtureTree tree;
    add_rights(tree, kAllCapabilities);
    testing::add_kernel(tree, "6.12.0");
    tree.file("/boot/config-6.12.0", "CONFIG_SMP=y\nCONFIG_RT_GROUP_SCHED=y\nCONFIG_HZ=250\n");
    tree.file("/proc/self/cgroup", "0::/box\n");
    tree.file("/proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    tree.file("/sys/fs/cgroup/box/cgroup.controllers", "cpu\n");
    EXPECT_THAT(explain(with_policy("fifo:50"), EPERM, tree),
                HasSubstr("/box can have no real-time budget"));
}

TEST(ExplainRefusal, SaysThatCapabilitiesOfARootlessContainerDoNotCount) {
    FixtureTree tree;
    add_rights(tree, kAllCapabilities);
    tree.file("/proc/self/uid_map", "0 1000 1\n");
    EXPECT_THAT(explain(with_policy("fifo:50"), EPERM, tree), HasSubstr("user namespace"));
}

TEST(ExplainRefusal, NamesASeccompFilterWhenNothingElseExplainsIt) {
    FixtureTree tree;
    add_rights(tree, kAllCapabilities);
    tree.file("/proc/self/status", "CapEff:\t000001ffffffffff\nSeccomp:\t2\n");
    EXPECT_THAT(explain(with_policy("fifo:50"), EPERM, tree), HasSubstr("seccomp"));
}

TEST(ExplainRefusal, NamesTheLowestNiceAllowed) {
    FixtureTree tree;
    add_rights(tree, kNoCapability, "0", "30");
    WorkerSettings settings;
    settings.nice = -15;
    EXPECT_THAT(explain(settings, EPERM, tree),
                AllOf(HasSubstr("RLIMIT_NICE is 30"), HasSubstr("lowest nice allowed is -10")));
}

TEST(ExplainRefusal, SaysThatNoLimitGrantsDeadline) {
    FixtureTree tree;
    add_rights(tree, kNoCapability, "99");
    EXPECT_THAT(explain(with_policy("deadline:25ms/100ms/100ms"), EPERM, tree),
                AllOf(HasSubstr("CAP_SYS_NICE is missing"), HasSubstr("no limit")));
}

TEST(ExplainRefusal, NamesAnAffinitySmallerThanTheRootDomain) {
    FixtureTree tree;
    add_rights(tree, kAllCapabilities);
    tree.file("/sys/devices/system/cpu/online", "0-4095\n");
    EXPECT_THAT(explain(with_policy("deadline:25ms/100ms/100ms"), EPERM, tree),
                HasSubstr("smaller than the root domain 0-4095"));
    WorkerSettings pinned = with_policy("deadline:25ms/100ms/100ms");
    pinned.pin_to = {0, 1};
    EXPECT_THAT(explain(pinned, EPERM, tree), HasSubstr("pinned to one CPU"));
}

TEST(ExplainRefusal, NamesTheBoundsOfADeadlinePeriod) {
    FixtureTree tree;
    tree.file("/proc/sys/kernel/sched_deadline_period_min_us", "100\n");
    tree.file("/proc/sys/kernel/sched_deadline_period_max_us", "4194304\n");
    EXPECT_THAT(explain(with_policy("deadline:10us/50us/50us"), EINVAL, tree),
                HasSubstr("100us..4194304us"));
}

TEST(ExplainRefusal, LeavesOtherErrorsAlone) {
    const FixtureTree tree;
    const Error other{EPERM, "fork", "client 3", {}};
    EXPECT_EQ(explain_refusal(other, with_policy("fifo:1"), 1, tree.system()).message(),
              other.message());
}

TEST(DeadlineAdmission, ReckonsWithTheFairServers) {
    FixtureTree tree;
    add_admission(tree, "6.12.0");
    EXPECT_THAT(explain(with_policy("deadline:25ms/100ms/100ms"), EBUSY, tree, 30),
                HasSubstr("2 CPUs x 95 % (sched_rt_runtime_us / sched_rt_period_us) - 2 x 5 % for "
                          "the kernel's fair servers (their default) leave 180 %: 7 of 25 % each "
                          "fit, 30 were asked for"));
}

TEST(DeadlineAdmission, KnowsNoFairServersBeforeLinux612) {
    FixtureTree tree;
    add_admission(tree, "6.11.9");
    const auto admission = deadline_admission(tree.system());
    ASSERT_TRUE(admission);
    EXPECT_EQ(admission->fits(0.25), 7U);
    EXPECT_EQ(admission->fits(0.95), 2U);
    EXPECT_EQ(admission->fits(0.19), 10U);
    EXPECT_THAT(admission->text(*with_policy("deadline:25ms/100ms/100ms").policy, 8),
                HasSubstr("leave 190 %: 7 of 25 % each fit, 8 were asked for"));
}

TEST(DeadlineAdmission, TakesTheServersFromDebugfsWhereItIsOpen) {
    FixtureTree tree;
    add_admission(tree, "6.18.0");
    for (const auto* cpu : {"cpu0", "cpu1"}) {
        const std::string folder = std::string("/sys/kernel/debug/sched/fair_server/") + cpu;
        tree.file(folder + "/runtime", "100000000\n").file(folder + "/period", "1000000000\n");
    }
    const auto admission = deadline_admission(tree.system());
    ASSERT_TRUE(admission);
    EXPECT_FALSE(admission->servers_assumed);
    EXPECT_EQ(admission->fits(0.25), 6U);
}

TEST(DeadlineAdmission, HasNoLimitWhenTheBudgetIsSwitchedOff) {
    FixtureTree tree;
    add_admission(tree, "6.1.0", "-1\n");
    const auto admission = deadline_admission(tree.system());
    ASSERT_TRUE(admission);
    EXPECT_EQ(admission->fits(0.25), std::nullopt);
}

TEST(DeadlineAdmission, CountsWhatOthersHold) {
    DeadlineAdmission admission;
    admission.cpus = 2;
    admission.limit = 0.95;
    admission.others = 0.5;
    admission.other_tasks = 2;
    EXPECT_EQ(admission.fits(0.25), 5U);
    EXPECT_THAT(admission.text(*with_policy("deadline:25ms/100ms/100ms").policy, 6),
                HasSubstr("- 50 % for 2 other deadline tasks leave 140 %"));
}

}  // namespace
}  // namespace bench
