#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/environment.h"
#include "common/environment_sections.h"
#include "common/kernel_log.h"
#include "common/testing/fixture_tree.h"

namespace bench {
namespace {

using testing::FixtureTree;
using ::testing::HasSubstr;

TEST(Scheduler, FollowsTheKernelVersionInMainline) {
    const FixtureTree tree;
    const auto name = [&](std::string_view release) {
        return detect_scheduler(tree.system(), release).name;
    };
    EXPECT_EQ(name("2.6.22"), "O(1)");
    EXPECT_EQ(name("2.6.22.19-foo"), "O(1)");
    EXPECT_EQ(name("2.6.23"), "CFS");
    EXPECT_EQ(name("2.6.23-rc1"), "CFS");
    EXPECT_EQ(name("2.6.31.14"), "CFS");
    EXPECT_EQ(name("3.0"), "CFS");
    EXPECT_EQ(name("6.5.13-arch1"), "CFS");
    EXPECT_EQ(name("6.6.0"), "EEVDF");
    EXPECT_EQ(name("6.6-rc1"), "EEVDF");
    EXPECT_EQ(name("6.18.44"), "EEVDF");
    EXPECT_EQ(name("7.0.0"), "EEVDF");
    EXPECT_EQ(name("10.2"), "EEVDF");
    EXPECT_EQ(detect_scheduler(tree.system(), "6.12.1").evidence, "kernel version 6.12.1");
}

TEST(Scheduler, IsUnknownWhenNothingTells) {
    const FixtureTree tree;
    for (const char* release :
         {"", "junk", "6", "6.", ".6", "2.4.37", "v6.6", "99999999999999999999.1"}) {
        EXPECT_EQ(detect_scheduler(tree.system(), release).name, "") << release;
        EXPECT_EQ(detect_scheduler(tree.system(), release).evidence, "") << release;
    }
}

TEST(Scheduler, BelievesTheKnobsOfABackportMoreThanTheVersion) {
    FixtureTree tree;
    tree.file("/sys/kernel/debug/sched/base_slice_ns", "3000000\n");
    EXPECT_EQ(detect_scheduler(tree.system(), "5.14.0-503.el9").name, "EEVDF");
    tree.remove("/sys").file("/sys/kernel/debug/sched/latency_ns", "6000000\n");
    EXPECT_EQ(detect_scheduler(tree.system(), "6.6.0-odd").name, "CFS");
}

TEST(Scheduler, NamesSchedExtWithItsOps) {
    FixtureTree tree;
    tree.file("/sys/kernel/sched_ext/state", "enabled\n")
        .file("/sys/kernel/sched_ext/root/ops", "rusty_1.0.4\n");
    EXPECT_EQ(detect_scheduler(tree.system(), "6.12.0").name, "sched_ext:rusty_1.0.4");
    tree.remove("/sys/kernel/sched_ext/root");
    EXPECT_EQ(detect_scheduler(tree.system(), "6.12.0").name, "sched_ext");
    tree.file("/sys/kernel/sched_ext/state", "disabled\n");
    EXPECT_EQ(detect_scheduler(tree.system(), "6.12.0").name, "EEVDF");
}

TEST(Scheduler, KnowsBoreByItsSysctlUnlessSwitchedOff) {
    FixtureTree tree;
    tree.file("/proc/sys/kernel/sched_bore", "1\n");
    EXPECT_EQ(detect_scheduler(tree.system(), "6.12.0-bore").name, "BORE");
    EXPECT_EQ(detect_scheduler(tree.system(), "6.12.0-bore").evidence,
              "/proc/sys/kernel/sched_bore = 1");
    // The configuration still names it when it is off.
    tree.file("/proc/sys/kernel/sched_bore", "0\n")
        .gzip("/proc/config.gz", "CONFIG_SCHED_BORE=y\n");
    EXPECT_EQ(detect_scheduler(tree.system(), "6.12.0-bore").name, "EEVDF");
    EXPECT_EQ(detect_scheduler(tree.system(), "6.5.0-bore").name, "CFS");
    EXPECT_THAT(detect_scheduler(tree.system(), "6.5.0-bore").evidence,
                HasSubstr("sched_bore = 0"));
}

TEST(Scheduler, TellsBmqFromPdsByConfiguration) {
    FixtureTree tree;
    tree.file("/proc/sys/kernel/yield_type", "1\n");
    EXPECT_EQ(detect_scheduler(tree.system(), "6.1.0-alt").name, "BMQ/PDS");
    tree.gzip("/proc/config.gz",
              "CONFIG_SCHED_ALT=y\nCONFIG_SCHED_BMQ=y\n# CONFIG_SCHED_PDS is not set\n");
    EXPECT_EQ(detect_scheduler(tree.system(), "6.1.0-alt").name, "BMQ");
    tree.gzip("/proc/config.gz",
              "CONFIG_SCHED_ALT=y\n# CONFIG_SCHED_BMQ is not set\nCONFIG_SCHED_PDS=y\n");
    EXPECT_EQ(detect_scheduler(tree.system(), "6.1.0-alt").name, "PDS");
}

TEST(Scheduler, TellsBmqFromPdsByTheKernelLog) {
    FixtureTree tree;
    tree.file("/proc/sys/kernel/yield_type", "1\n")
        .file("/dev/kmsg",
              "6,10,500,-;Memory: 16k\n"
              "6,11,600,-;sched/pds: PDS CPU Scheduler v6.1-r0 by Alfred Chen.\n");
    EXPECT_EQ(detect_scheduler(tree.system(), "6.1.0-alt").name, "PDS");
    EXPECT_EQ(detect_scheduler(tree.system(), "6.1.0-alt").evidence,
              "kernel log: PDS CPU Scheduler v6.1-r0 by Alfred Chen.");
    tree.file("/dev/kmsg", "6,11,600,-;sched/bmq: BMQ CPU Scheduler v5.14-r1 by Alfred Chen.\n");
    EXPECT_EQ(detect_scheduler(tree.system(), "5.14.0").name, "BMQ");
}

TEST(Scheduler, TellsMuqssFromBfs) {
    FixtureTree tree;
    tree.file("/proc/sys/kernel/rr_interval", "6\n").file("/proc/sys/kernel/iso_cpu", "70\n");
    EXPECT_EQ(detect_scheduler(tree.system(), "2.6.31-bfs").name, "BFS");
    tree.file("/proc/sys/kernel/yield_type", "1\n");
    EXPECT_EQ(detect_scheduler(tree.system(), "4.4.0-bfs").name, "BFS");
    tree.file("/proc/sys/kernel/interactive", "1\n");
    EXPECT_EQ(detect_scheduler(tree.system(), "5.10.0-ck1").name, "MuQSS");
}

TEST(Scheduler, ReadsTheLogLineOfMuqssAndBfs) {
    FixtureTree tree;
    tree.file("/dev/kmsg", "6,200,9000,-;MuQSS CPU scheduler v0.210 by Con Kolivas.\n");
    EXPECT_EQ(detect_scheduler(tree.system(), "5.12.0").name, "MuQSS");
    // A release that the log file does not tell of is another boot's.
    tree.remove("/dev").file("/var/log/dmesg",
                             "[    0.000000] Linux version 2.6.31-bfs (gcc)\n"
                             "[    0.100000] BFS CPU scheduler v0.304 by Con Kolivas.\n");
    EXPECT_EQ(detect_scheduler(tree.system(), "2.6.31-bfs").name, "BFS");
    EXPECT_EQ(detect_scheduler(tree.system(), "2.6.31").name, "CFS");
}

TEST(Scheduler, IsNotFooledByAMentionInTheLog) {
    FixtureTree tree;
    tree.file("/dev/kmsg", "12,9,1,-;user says: BFS CPU scheduler v0.304 is nice\n");
    EXPECT_EQ(detect_scheduler(tree.system(), "6.5.0").name, "CFS");
}

TEST(KernelLog, StripsWhatStandsBeforeTheMessage) {
    EXPECT_EQ(log_message("6,11,600,-;text; more"), "text; more");
    EXPECT_EQ(log_message("[    0.100000] text"), "text");
    EXPECT_EQ(log_message("plain; text"), "plain; text");
    EXPECT_EQ(log_message(""), "");
}

TEST(SchedulerSection, RecordsTunablesAndThrottling) {
    FixtureTree tree;
    tree.file("/proc/sys/kernel/sched_rt_runtime_us", "-1\n")
        .file("/proc/sys/kernel/sched_rt_period_us", "1000000\n")
        .folder("/proc/sys/kernel/sched_domain")
        .file("/proc/sys/kernel/hostname", "secret\n")
        .file("/sys/kernel/debug/sched/base_slice_ns", "2800000\n")
        .file("/sys/kernel/debug/sched/features", "PLACE_LAG NO_RUN_TO_PARITY\n")
        .file("/sys/kernel/debug/sched/debug", "huge\n");
    const Json json = environment::scheduler_section(tree.system(), "6.12.0");
    EXPECT_EQ(json.dump(),
              R"({"name":"EEVDF","evidence":"/sys/kernel/debug/sched/base_slice_ns",)"
              R"("rt_throttling":{"runtime_us":-1,"period_us":1000000},)"
              R"("sysctls":{"sched_rt_period_us":"1000000","sched_rt_runtime_us":"-1"},)"
              R"("debugfs":{"base_slice_ns":"2800000","features":"PLACE_LAG NO_RUN_TO_PARITY"}})");
}

}  // namespace
}  // namespace bench
