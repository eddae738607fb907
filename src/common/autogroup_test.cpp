#include "common/autogroup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/testing/fixture_tree.h"

namespace bench {
namespace {

using testing::FixtureTree;
using ::testing::HasSubstr;

constexpr const char* kSwitch = "/proc/sys/kernel/sched_autogroup_enabled";

std::string refusal(const FixtureTree& tree) {
    const Status usable = check_autogroup_usable(tree.system());
    return usable ? "" : usable.error().message();
}

TEST(Autogroup, NeedsTheKernelTheSwitchAndTheRootGroup) {
    FixtureTree tree;
    EXPECT_THAT(refusal(tree), HasSubstr("CONFIG_SCHED_AUTOGROUP"));
    tree.file(kSwitch, "0\n");
    EXPECT_THAT(refusal(tree), HasSubstr("kernel.sched_autogroup_enabled is 0"));
    tree.file(kSwitch, "1\n");
    EXPECT_EQ(refusal(tree), "") << "no cpu controller: all are in the root group";
    tree.file("/proc/self/cgroup", "1:cpu:/box\n")
        .file("/proc/self/mountinfo", "32 31 0:29 / /cg/cpu rw - cgroup cgroup rw,cpu\n")
        .file("/cg/cpu/box/cgroup.procs", "")
        .file("/cg/cpu/cgroup.procs", "")
        .file("/cg/cpu/release_agent", "");
    EXPECT_THAT(refusal(tree), HasSubstr("this process is in /box"));
    tree.file("/proc/self/cgroup", "1:cpu:/\n");
    EXPECT_EQ(refusal(tree), "");
    tree.remove("/cg");
    EXPECT_THAT(refusal(tree), HasSubstr("can't be seen"));
}

TEST(Autogroup, ReadsTheNumber) {
    FixtureTree tree;
    tree.file("/proc/7/autogroup", "/autogroup-25 nice 0\n").file("/proc/8/autogroup", "\n");
    EXPECT_EQ(autogroup_id(tree.system(), 7), 25U);
    EXPECT_EQ(autogroup_id(tree.system(), 8), std::nullopt);
    EXPECT_EQ(autogroup_id(tree.system(), 9), std::nullopt);
}

}  // namespace
}  // namespace bench
