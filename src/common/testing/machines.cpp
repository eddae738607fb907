#include "common/testing/machines.h"

#include <fmt/format.h>

namespace bench::testing {

void add_kernel(FixtureTree& tree, std::string_view release, std::string_view version) {
    tree.file("/proc/sys/kernel/osrelease", fmt::format("{}\n", release))
        .file("/proc/sys/kernel/version", fmt::format("{}\n", version));
}

void add_hybrid_cpus(FixtureTree& tree) {
    constexpr int kCpus = 12;
    constexpr int kFast = 8;
    std::string cpuinfo;
    for (int cpu = 0; cpu < kCpus; ++cpu) {
        const bool fast = cpu < kFast;
        const std::string folder = fmt::format("/sys/devices/system/cpu/cpu{}", cpu);
        tree.file(folder + "/topology/thread_siblings_list",
                  fast ? fmt::format("{}-{}\n", cpu & ~1, cpu | 1) : fmt::format("{}\n", cpu))
            .file(folder + "/topology/physical_package_id", "0\n")
            .file(folder + "/cpufreq/cpuinfo_max_freq", fast ? "5400000\n" : "4100000\n")
            .file(folder + "/cpufreq/scaling_cur_freq", fast ? "5000000\n" : "800000\n")
            .file(folder + "/cpufreq/scaling_driver", "intel_pstate\n")
            .file(folder + "/cpufreq/scaling_governor", "performance\n");
        cpuinfo += fmt::format(
            "processor\t: {}\nvendor_id\t: GenuineIntel\nmodel name\t: 13th Gen Intel(R) Core(TM)\n"
            "microcode\t: 0x411c\nflags\t\t: fpu vme de\n\n",
            cpu);
    }
    tree.file("/proc/cpuinfo", cpuinfo)
        .file("/sys/devices/system/cpu/online", "0-11\n")
        .file("/sys/devices/system/cpu/possible", "0-15\n")
        .file("/sys/devices/system/cpu/present", "0-11\n")
        .file("/sys/devices/system/cpu/isolated", "\n")
        .file("/sys/devices/system/cpu/smt/control", "on\n")
        .file("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n")
        .file("/sys/devices/system/node/node0/cpulist", "0-7\n")
        .file("/sys/devices/system/node/node1/cpulist", "8-11\n")
        .file("/proc/self/status",
              "Name:\tbench\nCpus_allowed_list:\t1,3-9\nMems_allowed_list:\t0-1\n");
}

}  // namespace bench::testing
