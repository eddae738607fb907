#include <gtest/gtest.h>

#include "common/environment_sections.h"
#include "common/testing/fixture_tree.h"
#include "common/testing/machines.h"

namespace bench::environment {
namespace {

using testing::add_hybrid_cpus;
using testing::FixtureTree;

TEST(Topology, ListsClassesSiblingsAndNodes) {
    FixtureTree tree;
    add_hybrid_cpus(tree);
    const Json json = topology_section(tree.system());
    EXPECT_EQ(json.dump(),
              R"({"cores":8,"smt_siblings":["0-1","2-3","4-5","6-7"],"packages":{"0":"0-11"},)"
              R"("numa_nodes":{"0":"0-7","1":"8-11"},"core_classes":[)"
              R"({"cpus":"0-7","by":"cpuinfo_max_freq","value":5400000},)"
              R"({"cpus":"8-11","by":"cpuinfo_max_freq","value":4100000}]})");
}

TEST(Topology, BelievesTheKernelsOwnClassesFirst) {
    FixtureTree tree;
    add_hybrid_cpus(tree);
    tree.file("/sys/devices/cpu_core/cpus", "0-7\n").file("/sys/devices/cpu_atom/cpus", "8-11\n");
    EXPECT_EQ(topology_section(tree.system()).at("core_classes").dump(),
              R"([{"cpus":"0-7","by":"/sys/devices/cpu_core","value":"core"},)"
              R"({"cpus":"8-11","by":"/sys/devices/cpu_atom","value":"atom"}])");
}

TEST(Topology, KnowsArmClustersByCapacity) {
    FixtureTree tree;
    for (int cpu = 0; cpu < 4; ++cpu) {
        tree.file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpu_capacity",
                  cpu < 2 ? "446\n" : "1024\n");
    }
    EXPECT_EQ(topology_section(tree.system()).dump(),
              R"({"core_classes":[{"cpus":"2-3","by":"cpu_capacity","value":1024},)"
              R"({"cpus":"0-1","by":"cpu_capacity","value":446}]})");
}

TEST(Topology, CountsFavouredCoresAsOneClass) {
    FixtureTree tree;
    for (int cpu = 0; cpu < 4; ++cpu) {
        const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
        tree.file(folder + "/cpufreq/cpuinfo_max_freq", cpu == 0 ? "5400000\n" : "5200000\n")
            .file(folder + "/cpu_capacity", "1024\n");
    }
    EXPECT_EQ(topology_section(tree.system()).at("core_classes").size(), 1U);
}

TEST(Topology, AsksTheFrequenciesWhereCapacityTellsNothing) {
    FixtureTree tree;
    add_hybrid_cpus(tree);
    for (int cpu = 0; cpu < 12; ++cpu) {
        tree.file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpu_capacity", "1024\n");
    }
    EXPECT_EQ(topology_section(tree.system()).at("core_classes").size(), 2U);
}

TEST(Topology, SkipsOfflineCpusAndHoles) {
    FixtureTree tree;
    tree.file("/sys/devices/system/cpu/cpu0/topology/core_cpus_list", "0,64\n")
        .file("/sys/devices/system/cpu/cpu64/topology/core_cpus_list", "0,64\n")
        .folder("/sys/devices/system/cpu/cpu7")
        .folder("/sys/devices/system/cpu/cpufreq")
        .folder("/sys/devices/system/cpu/cpuidle");
    EXPECT_EQ(topology_section(tree.system()).dump(), R"({"cores":1,"smt_siblings":["0,64"]})");
}

TEST(Cpu, GathersModelAndSets) {
    FixtureTree tree;
    add_hybrid_cpus(tree);
    tree.file("/sys/devices/system/cpu/isolated", "2-3\n")
        .file("/sys/devices/system/cpu/nohz_full", " (null)\n");
    const Json json = cpu_section(tree.system());
    EXPECT_EQ(json.at("models").dump(), R"j({"13th Gen Intel(R) Core(TM)":"0-11"})j");
    EXPECT_EQ(json.at("microcode").dump(), R"({"0x411c":"0-11"})");
    EXPECT_EQ(json.at("vendor"), "GenuineIntel");
    EXPECT_EQ(json.at("online"), "0-11");
    EXPECT_EQ(json.at("possible"), "0-15");
    EXPECT_EQ(json.at("isolated"), "2-3");
    EXPECT_EQ(json.at("nohz_full"), "");
    EXPECT_EQ(json.at("allowed"), "1,3-9");
    EXPECT_EQ(json.at("allowed_nodes"), "0-1");
    EXPECT_EQ(json.at("smt_control"), "on");
}

TEST(Cpu, ReadsOtherArchitectures) {
    FixtureTree tree;
    const auto models = [&](std::string_view cpuinfo) {
        tree.file("/proc/cpuinfo", cpuinfo);
        return cpu_section(tree.system()).value("models", Json()).dump();
    };
    EXPECT_EQ(models("processor\t: 0\nBogoMIPS\t: 50\nCPU implementer\t: 0x41\n"
                     "CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n"
                     "CPU revision\t: 1\n\nprocessor\t: 1\nCPU implementer\t: 0x41\n"
                     "CPU part\t: 0xd05\n"),
              R"({"implementer 0x41 variant 0x3 part 0xd0c revision 1":"0",)"
              R"("implementer 0x41 part 0xd05":"1"})");
    EXPECT_EQ(models("processor\t: 0\ncpu\t\t: POWER9 (raw), altivec supported\n\n"
                     "processor\t: 1\ncpu\t\t: POWER9 (raw), altivec supported\n\n"
                     "machine\t\t: PowerNV 8335\n"),
              R"({"POWER9 (raw), altivec supported":"0-1"})");
    EXPECT_EQ(cpu_section(tree.system()).at("machine"), "PowerNV 8335");
    EXPECT_EQ(models("vendor_id       : IBM/S390\n# processors    : 1\n"
                     "processor 0: version = FF,  identification = 0133E8,  machine = 2964\n"),
              R"({"version = FF,  identification = 0133E8,  machine = 2964":"0"})");
    EXPECT_EQ(models("processor\t: 0\nhart\t: 1\nuarch\t: sifive,u74-mc\n"),
              R"({"sifive,u74-mc":"0"})");
    EXPECT_EQ(models("processor\t: 0\n"), "null");
}

TEST(Frequency, IsAbsentWithoutCpufreq) {
    FixtureTree tree;
    tree.folder("/sys/devices/system/cpu/cpu0").folder("/sys/devices/system/cpu/cpu1");
    EXPECT_TRUE(frequency_section(tree.system()).empty());
    EXPECT_FALSE(cpu_section(tree.system()).contains("frequency"));
}

TEST(Frequency, ListsEveryGovernorWithItsCpus) {
    FixtureTree tree;
    add_hybrid_cpus(tree);
    tree.file("/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave\n")
        .file("/sys/devices/system/cpu/cpu9/cpufreq/scaling_governor", "powersave\n")
        .file("/sys/devices/system/cpu/cpu10/cpufreq/scaling_governor", "\n")
        .file("/sys/devices/system/cpu/cpu0/cpufreq/energy_performance_preference",
              "balance_power\n");
    const Json json = frequency_section(tree.system());
    EXPECT_EQ(json.at("governors").dump(), R"({"performance":"0-2,4-8,11","powersave":"3,9"})");
    EXPECT_EQ(json.at("drivers").dump(), R"({"intel_pstate":"0-11"})");
    EXPECT_EQ(json.at("energy_performance_preferences").dump(), R"({"balance_power":"0"})");
}

TEST(Frequency, ReadsTurboWhicheverWayItIsStated) {
    FixtureTree tree;
    EXPECT_FALSE(frequency_section(tree.system()).contains("turbo"));
    tree.file("/sys/devices/system/cpu/cpufreq/boost", "1\n");
    EXPECT_EQ(frequency_section(tree.system()).at("turbo"), true);
    tree.file("/sys/devices/system/cpu/cpufreq/boost", "0\n");
    EXPECT_EQ(frequency_section(tree.system()).at("turbo"), false);
    tree.file("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
    EXPECT_EQ(frequency_section(tree.system()).at("turbo"), true);
    tree.file("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
    EXPECT_EQ(frequency_section(tree.system()).at("turbo"), false);
}

}  // namespace
}  // namespace bench::environment
