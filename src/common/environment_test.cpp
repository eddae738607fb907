#include "common/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/affinity.h"
#include "common/testing/fixture_tree.h"
#include "common/testing/machines.h"
#include "common/tool_version.h"

namespace bench {
namespace {

using testing::add_hybrid_cpus;
using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::FixtureTree;
using namespace std::string_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CpuSet cpus(std::string_view list) {
    return CpuSet::parse(list).value();
}

TEST(Environment, OfAnEmptyTreeIsTheToolAlone) {
    const FixtureTree tree;
    const Json json = capture_environment(tree.system());
    ASSERT_EQ(json.size(), 1U) << json.dump();
    EXPECT_EQ(json.at("tool").at("version"), tool_version().version);
    EXPECT_TRUE(json.at("tool").at("zlib").contains("running"));
    EXPECT_TRUE(capture_state(tree.system()).empty());
}

TEST(Environment, SurvivesJunkInEveryFile) {
    using namespace std::string_literals;
    const std::string junk = "\0\xff\xfe[(:;=,-\n\x80 / 0::/\n"s;
    const std::string huge(1U << 20U, 'x');
    for (const std::string& content : {junk, huge, std::string(), std::string("\n \n"),
                                       std::string("9223372036854775807 -1 -9223372036854775808\n"),
                                       std::string("-9223372036854775808\n")}) {
        FixtureTree tree;
        for (const char* path : {"/proc/cpuinfo",
                                 "/proc/cmdline",
                                 "/proc/stat",
                                 "/proc/loadavg",
                                 "/proc/meminfo",
                                 "/proc/config.gz",
                                 "/proc/pressure/cpu",
                                 "/proc/self/status",
                                 "/proc/self/cgroup",
                                 "/proc/self/mountinfo",
                                 "/proc/self/limits",
                                 "/proc/self/autogroup",
                                 "/proc/self/timerslack_ns",
                                 "/proc/1/environ",
                                 "/proc/sys/kernel/osrelease",
                                 "/proc/sys/kernel/version",
                                 "/proc/sys/kernel/sched_bore",
                                 "/proc/sys/kernel/sched_rt_runtime_us",
                                 "/proc/sys/kernel/numa_balancing",
                                 "/dev/kmsg",
                                 "/var/log/dmesg",
                                 "/sys/kernel/sched_ext/state",
                                 "/sys/kernel/sched_ext/root/ops",
                                 "/sys/kernel/debug/sched/preempt",
                                 "/sys/kernel/mm/transparent_hugepage/enabled",
                                 "/sys/devices/system/cpu/online",
                                 "/sys/devices/system/cpu/isolated",
                                 "/sys/devices/system/cpu/cpufreq/boost",
                                 "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list",
                                 "/sys/devices/system/cpu/cpu0/topology/physical_package_id",
                                 "/sys/devices/system/cpu/cpu0/cpu_capacity",
                                 "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
                                 "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq",
                                 "/sys/devices/system/node/node0/cpulist",
                                 "/sys/devices/cpu_core/cpus",
                                 "/sys/devices/system/cpu/vulnerabilities/mds"}) {
            tree.file(path, content);
        }
        const Json json = capture_environment(tree.system());
        const Json state = capture_state(tree.system());
        static_cast<void>(environment_notes(json, cpus("0-1")));
        EXPECT_THAT(state_taints(state, state), IsEmpty());
        const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
        EXPECT_LT(text.size(), 200'000U) << "a file of junk was taken for a fact";
    }
}

TEST(Environment, OfThisMachineAgreesWithTheKernel) {
    const SystemRoot system;
    const Json json = capture_environment(system);
    const std::string release = system.read_trimmed("/proc/sys/kernel/osrelease").value();
    EXPECT_EQ(json.at("kernel").at("release"), release);
    EXPECT_EQ(json.at("cpu").at("allowed"), get_affinity()->to_list());
    EXPECT_EQ(json.at("timing").at("clock").at("name"), "CLOCK_MONOTONIC");
    EXPECT_GT(json.at("timing").at("clock").at("resolution_ns").get<std::int64_t>(), 0);
    EXPECT_EQ(json.at("scheduler").at("name"), detect_scheduler(system, release).name);
    EXPECT_EQ(json.at("boot_id").get<std::string>().size(), 36U);
}

TEST(Environment, IsTheSameWhenTakenTwice) {
    // A bundle keeps one copy for each distinct one, so nothing in it may waver.
    EXPECT_EQ(capture_environment(SystemRoot()), capture_environment(SystemRoot()));
}

TEST(Environment, DoesNotNameTheHost) {
    FixtureTree tree;
    testing::add_kernel(tree, "6.6.1");
    tree.file("/proc/sys/kernel/hostname", "secret-host\n").file("/etc/hostname", "secret-host\n");
    EXPECT_EQ(capture_environment(tree.system()).dump().find("secret-host"), std::string::npos);
}

TEST(Notes, WarnOfMixedClassesAndSplitSiblings) {
    FixtureTree tree;
    add_hybrid_cpus(tree);
    const Json json = capture_environment(tree.system());
    EXPECT_THAT(environment_notes(json, cpus("0-7")), IsEmpty());
    EXPECT_THAT(environment_notes(json, cpus("8-11")), IsEmpty());
    EXPECT_THAT(environment_notes(json, cpus("2-3")), IsEmpty());
    EXPECT_THAT(environment_notes(json, cpus("6-9")),
                ElementsAre(AllOf(HasSubstr("core classes"), HasSubstr("6-7 ("),
                                  HasSubstr("5400000"), HasSubstr("8-9 ("), HasSubstr("4100000"))));
    EXPECT_THAT(environment_notes(json, cpus("1-4")),
                ElementsAre(AllOf(HasSubstr("SMT siblings"), HasSubstr("CPUs 1,4 share"),
                                  HasSubstr("CPUs 0,5"))));
}

TEST(Notes, WarnOfIsolatedCpus) {
    FixtureTree tree;
    add_hybrid_cpus(tree);
    tree.file("/sys/devices/system/cpu/isolated", "2-3,8\n");
    const Json json = capture_environment(tree.system());
    EXPECT_THAT(environment_notes(json, cpus("2-5")),
                ElementsAre(AllOf(HasSubstr("CPUs 2-3 are isolated"), HasSubstr("balance"))));
    EXPECT_THAT(environment_notes(json, cpus("4-5")), IsEmpty());
}

TEST(Notes, ListGovernorsThatDifferAmongTheCpusUsed) {
    FixtureTree tree;
    add_hybrid_cpus(tree);
    tree.file("/sys/devices/system/cpu/cpu7/cpufreq/scaling_governor", "powersave\n");
    const Json json = capture_environment(tree.system());
    EXPECT_THAT(environment_notes(json, cpus("4-7")),
                ElementsAre("frequency governors differ: performance on CPUs 4-6, powersave on "
                            "CPUs 7"));
    EXPECT_THAT(environment_notes(json, cpus("2-5")), IsEmpty());
}

TEST(Notes, AreSilentWithoutCpufreq) {
    FixtureTree tree;
    tree.folder("/sys/devices/system/cpu/cpu0").folder("/sys/devices/system/cpu/cpu1");
    EXPECT_THAT(environment_notes(capture_environment(tree.system()), cpus("0-1")), IsEmpty());
}

TEST(Notes, WarnOfAQuotaBelowTheCpusInUse) {
    FixtureTree tree;
    tree.file("/proc/self/cgroup", "0::/a\n")
        .file("/proc/self/mountinfo", "30 23 0:26 / /cg rw - cgroup2 cgroup2 rw\n")
        .file("/cg/a/cgroup.controllers", "cpu\n")
        .file("/cg/a/cpu.max", "150000 100000\n");
    const Json json = capture_environment(tree.system());
    EXPECT_THAT(environment_notes(json, cpus("0-1")),
                ElementsAre(AllOf(HasSubstr("/a"), HasSubstr("1.5 CPUs"), HasSubstr("the 2"))));
    EXPECT_THAT(environment_notes(json, cpus("0")), IsEmpty());
}

TEST(Notes, TakeAnyJson) {
    constexpr const char* kOddTypes =
        R"({"cpu":{"isolated":7,"topology":{"core_classes":{"a":1},"smt_siblings":"0-1"},)"
        R"("frequency":{"governors":[1]}}})";
    for (const char* text :
         {"null", "[]", "3", "\"x\"", "{}", R"({"cpu":3,"cgroup":[]})", kOddTypes}) {
        static_cast<void>(environment_notes(Json::parse(text), cpus("0-1")));
        EXPECT_THAT(state_taints(Json::parse(text), Json::parse(text)), IsEmpty());
    }
}

}  // namespace
}  // namespace bench
