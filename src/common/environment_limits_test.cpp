#include <gtest/gtest.h>

#include "common/environment_sections.h"
#include "common/testing/fixture_tree.h"

namespace bench::environment {
namespace {

using testing::FixtureTree;
using namespace std::string_literals;

TEST(Limits, ReadsSoftAndHard) {
    FixtureTree tree;
    tree.file("/proc/self/limits",
              "Limit                     Soft Limit           Hard Limit           Units     \n"
              "Max cpu time              unlimited            unlimited            seconds   \n"
              "Max processes             63432                unlimited            processes \n"
              "Max open files            1024                 1048576              files     \n"
              "Max nice priority         0                    0                    \n"
              "Max realtime priority     10                   20                   \n"
              "Max locked memory         what                 8388608              bytes     \n");
    EXPECT_EQ(limits_section(tree.system()).dump(),
              R"({"resources":{"processes":{"soft":63432,"hard":"unlimited"},)"
              R"("open_files":{"soft":1024,"hard":1048576},"nice_priority":{"soft":0,"hard":0},)"
              R"("realtime_priority":{"soft":10,"hard":20}}})");
}

TEST(Limits, NamesCapabilitiesAndTheEffectiveUser) {
    FixtureTree tree;
    tree.file("/proc/self/status",
              "Name:\tx\nUid:\t1000\t1001\t1002\t1003\n"
              "CapEff:\t0000000000800000\n");
    EXPECT_EQ(
        limits_section(tree.system()).dump(),
        R"({"capabilities":{"effective":"0000000000800000","names":["sys_nice"]},"uid":1001})");
    tree.file("/proc/self/status", "Uid:\t1\nCapEff:\txyz\n");
    EXPECT_TRUE(limits_section(tree.system()).empty());
}

TEST(Autogroup, SplitsGroupAndNice) {
    FixtureTree tree;
    tree.file("/proc/sys/kernel/sched_autogroup_enabled", "1\n")
        .file("/proc/self/autogroup", "/autogroup-123 nice -5\n");
    EXPECT_EQ(autogroup_section(tree.system()).dump(),
              R"({"enabled":true,"group":"/autogroup-123","nice":-5})");
    tree.file("/proc/sys/kernel/sched_autogroup_enabled", "0\n")
        .file("/proc/self/autogroup", "junk\n");
    EXPECT_EQ(autogroup_section(tree.system()).dump(), R"({"enabled":false})");
}

TEST(Memory, ReadsTotalsAndTheChoiceOfHugePages) {
    FixtureTree tree;
    tree.file("/proc/meminfo", "MemTotal:       24684084 kB\nSwapTotal:             0 kB\n")
        .file("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n")
        .file("/proc/sys/kernel/numa_balancing", "1\n");
    EXPECT_EQ(memory_section(tree.system()).dump(),
              R"({"total_kib":24684084,"swap_total_kib":0,"transparent_hugepages":"madvise",)"
              R"("numa_balancing":1})");
    tree.file("/proc/meminfo", "MemTotal: lots\n");
    EXPECT_FALSE(memory_section(tree.system()).contains("total_kib"));
}

TEST(Virtualisation, KnowsMachinesByTheirMakers) {
    FixtureTree tree;
    const auto kind = [&](const char* vendor, const char* product) {
        tree.file("/sys/class/dmi/id/sys_vendor", vendor)
            .file("/sys/class/dmi/id/product_name", product);
        return virtualisation_section(tree.system(), "6.1.0").value("kind", "");
    };
    EXPECT_EQ(kind("QEMU\n", "Standard PC (Q35 + ICH9, 2009)\n"), "qemu");
    EXPECT_EQ(kind("Red Hat\n", "KVM\n"), "kvm");
    EXPECT_EQ(kind("VMware, Inc.\n", "VMware20,1\n"), "vmware");
    EXPECT_EQ(kind("Microsoft Corporation\n", "Virtual Machine\n"), "hyperv");
    EXPECT_EQ(kind("Microsoft Corporation\n", "Surface Laptop\n"), "");
    EXPECT_EQ(kind("Amazon EC2\n", "c5.metal\n"), "");
    EXPECT_EQ(kind("LENOVO\n", "20XW\n"), "");
    tree.file("/sys/hypervisor/type", "xen\n");
    EXPECT_EQ(kind("LENOVO\n", "20XW\n"), "xen");
}

TEST(Virtualisation, TellsKvmFromTcgOnlyWhenSomethingSaysSo) {
    FixtureTree tree;
    const auto accel = [&] {
        return virtualisation_section(tree.system(), "6.1.0").value("accel", "absent");
    };
    EXPECT_EQ(accel(), "absent");
    tree.file("/proc/cpuinfo", "model name\t: QEMU TCG CPU version 2.5+\nflags\t: a hypervisor\n");
    EXPECT_EQ(accel(), "tcg");
    EXPECT_EQ(virtualisation_section(tree.system(), "").at("hypervisor_flag"), true);
    tree.file("/proc/cpuinfo",
              "model name\t: QEMU Virtual CPU version 2.5+\nflags\t: hypervisors\n");
    EXPECT_EQ(accel(), "absent");
    EXPECT_EQ(virtualisation_section(tree.system(), "").at("hypervisor_flag"), false);
    tree.file("/sys/devices/system/clocksource/clocksource0/available_clocksource",
              "kvm-clock tsc acpi_pm\n");
    EXPECT_EQ(accel(), "kvm");
}

TEST(Virtualisation, SeesContainers) {
    FixtureTree tree;
    const auto container = [&] {
        return virtualisation_section(tree.system(), "").value("container", "absent");
    };
    EXPECT_EQ(container(), "absent");
    tree.file("/proc/1/environ", "PATH=/bin\0container=lxc\0TERM=x"s);
    EXPECT_EQ(container(), "lxc");
    tree.file("/run/.containerenv", "");
    EXPECT_EQ(container(), "podman");
    tree.file("/.dockerenv", "");
    EXPECT_EQ(container(), "docker");
    tree.file("/run/systemd/container", "systemd-nspawn\n");
    EXPECT_EQ(container(), "systemd-nspawn");
    EXPECT_EQ(virtualisation_section(tree.system(), "5.15.1-microsoft-standard-WSL2").at("kind"),
              "wsl");
}

TEST(Timing, ReadsClockSourcesOfAFixture) {
    FixtureTree tree;
    const std::string folder = "/sys/devices/system/clocksource/clocksource0/";
    tree.file(folder + "current_clocksource", "hpet\n")
        .file(folder + "available_clocksource", "hpet acpi_pm \n")
        .file("/proc/self/timerslack_ns", "50000\n");
    EXPECT_EQ(timing_section(tree.system()).dump(),
              R"({"clock_source":"hpet","clock_sources_available":"hpet acpi_pm",)"
              R"("timer_slack_ns":50000})");
}

}  // namespace
}  // namespace bench::environment
