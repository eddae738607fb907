#include <gtest/gtest.h>

#include "common/environment_sections.h"
#include "common/testing/fixture_tree.h"
#include "common/testing/machines.h"

namespace bench::environment {
namespace {

using testing::add_kernel;
using testing::FixtureTree;

Json preemption(const FixtureTree& tree) {
    return preemption_section(tree.system(), read_kernel_name(tree.system()));
}

std::string model(const FixtureTree& tree) {
    return preemption(tree).value("model", "");
}

TEST(Preemption, PrefersWhatIsInForceToWhatWasBuilt) {
    FixtureTree tree;
    add_kernel(tree, "6.1.0", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1");
    EXPECT_EQ(model(tree), "");
    EXPECT_EQ(preemption(tree).at("in_version"), "PREEMPT_DYNAMIC");
    tree.gzip("/proc/config.gz", "CONFIG_PREEMPT_VOLUNTARY=y\nCONFIG_PREEMPT_DYNAMIC=y\n");
    EXPECT_EQ(model(tree), "voluntary");
    tree.file("/proc/cmdline", "quiet preempt=none preempt=full -- preempt=none\n");
    EXPECT_EQ(model(tree), "full");
    tree.file("/sys/kernel/debug/sched/preempt", "none (voluntary) full\n");
    EXPECT_EQ(model(tree), "voluntary");
    EXPECT_EQ(preemption(tree).at("evidence"), "/sys/kernel/debug/sched/preempt");
    EXPECT_EQ(preemption(tree).at("parameter"), "full");
}

TEST(Preemption, IgnoresTheParameterWhereTheKernelDoes) {
    FixtureTree tree;
    add_kernel(tree, "5.4.0", "#1 SMP Debian");
    tree.file("/proc/cmdline", "preempt=full\n")
        .file("/boot/config-5.4.0", "CONFIG_PREEMPT_NONE=y\n# CONFIG_PREEMPT is not set\n");
    EXPECT_EQ(model(tree), "none");
}

TEST(Preemption, KnowsRealTimeKernels) {
    FixtureTree tree;
    add_kernel(tree, "6.12.0-rt", "#1 SMP PREEMPT_RT Mon");
    EXPECT_EQ(model(tree), "rt");
    add_kernel(tree, "4.9.0-rt", "#1 SMP PREEMPT RT Mon");
    EXPECT_EQ(model(tree), "rt");
    add_kernel(tree, "5.0.0", "#1 SMP PREEMPT Mon");
    EXPECT_EQ(model(tree), "full");
    tree.file("/sys/kernel/realtime", "1\n");
    EXPECT_EQ(model(tree), "rt");
}

TEST(KernelSection, HoldsWhatAFixtureTells) {
    FixtureTree tree;
    add_kernel(tree, "6.6.1", "#1 SMP");
    tree.file("/proc/cmdline", "ro mitigations=off\n")
        .file("/boot/config-6.6.1", "CONFIG_HZ=1000\nCONFIG_HZ_1000=y\n")
        .file("/proc/sys/kernel/tainted", "4096\n")
        .file("/sys/devices/system/cpu/vulnerabilities/mds", "Vulnerable\n");
    const Json json = kernel_section(tree.system(), read_kernel_name(tree.system()));
    EXPECT_EQ(json.dump(),
              R"({"release":"6.6.1","version":"#1 SMP","command_line":"ro mitigations=off",)"
              R"("hz":1000,"config":{"source":"/boot/config-6.6.1",)"
              R"("options":{"CONFIG_HZ":"1000","CONFIG_HZ_1000":"y"}},"tainted":4096,)"
              R"("mitigations":{"parameter":"off","vulnerabilities":{"mds":"Vulnerable"}}})");
}

TEST(KernelSection, HasNoHzWithoutConfiguration) {
    FixtureTree tree;
    add_kernel(tree, "6.6.1");
    EXPECT_FALSE(kernel_section(tree.system(), read_kernel_name(tree.system())).contains("hz"));
}

}  // namespace
}  // namespace bench::environment
