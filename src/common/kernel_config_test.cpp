#include "common/kernel_config.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "common/testing/fixture_tree.h"

namespace bench {
namespace {

using testing::FixtureTree;
using namespace std::string_literals;

constexpr const char* kConfig =
    "#\n# Linux/x86 6.6.1 Kernel Configuration\n#\nCONFIG_HZ_250=y\nCONFIG_HZ=250\n"
    "# CONFIG_PREEMPT_NONE is not set\nCONFIG_PREEMPT=y\nCONFIG_LOCALVERSION=\"-test\"\n"
    "CONFIG_SCHED_AUTOGROUP=y\nCONFIG_EXT4_FS=m\nCONFIG_UCLAMP_BUCKETS_COUNT=5\n";

TEST(KernelConfig, ReadsTheCompressedOneOfTheRunningKernel) {
    FixtureTree tree;
    tree.gzip("/proc/config.gz", kConfig).file("/boot/config-6.6.1", "CONFIG_HZ=1000\n");
    const auto config = read_kernel_config(tree.system(), "6.6.1");
    ASSERT_TRUE(config);
    EXPECT_EQ(config->source, "/proc/config.gz");
    EXPECT_EQ(config->value("CONFIG_HZ"), "250");
    EXPECT_EQ(config->value("CONFIG_LOCALVERSION"), "-test");
    EXPECT_EQ(config->value("CONFIG_PREEMPT_NONE"), "n");
    EXPECT_EQ(config->value("CONFIG_PREEMPT_RT"), std::nullopt);
    EXPECT_TRUE(config->is_set("CONFIG_PREEMPT"));
    EXPECT_FALSE(config->is_set("CONFIG_EXT4_FS"));
}

TEST(KernelConfig, KeepsWhatBearsOnScheduling) {
    FixtureTree tree;
    tree.gzip("/proc/config.gz", kConfig);
    const auto options = read_kernel_config(tree.system(), "6.6.1")->scheduling_options();
    EXPECT_EQ(options.dump(), R"({"CONFIG_HZ_250":"y","CONFIG_HZ":"250","CONFIG_PREEMPT_NONE":"n",)"
                              R"("CONFIG_PREEMPT":"y","CONFIG_SCHED_AUTOGROUP":"y",)"
                              R"("CONFIG_UCLAMP_BUCKETS_COUNT":"5"})");
}

TEST(KernelConfig, ReadsTheFileOfThisReleaseOnly) {
    FixtureTree tree;
    tree.file("/boot/config-6.6.1", kConfig);
    EXPECT_EQ(read_kernel_config(tree.system(), "6.6.1")->source, "/boot/config-6.6.1");
    EXPECT_FALSE(read_kernel_config(tree.system(), "6.6.2"));
    EXPECT_FALSE(read_kernel_config(tree.system(), ""));
    EXPECT_FALSE(read_kernel_config(tree.system(), "../boot/config-6.6.1"));
}

TEST(KernelConfig, PassesOverWhatIsCutOffOrNoConfiguration) {
    FixtureTree tree;
    std::string filler;
    for (int i = 0; i < 3000; ++i) {
        filler += "CONFIG_X" + std::to_string(i * 7919) + "=y\n";
    }
    tree.gzip("/whole.gz", filler);
    const std::string whole = tree.system().read("/whole.gz").value();
    ASSERT_GT(whole.size(), 1000U);
    tree.file("/proc/config.gz", whole.substr(0, whole.size() / 2));
    EXPECT_FALSE(read_kernel_config(tree.system(), "6.6.1"));
    tree.file("/proc/config.gz", "not gzip");
    EXPECT_FALSE(read_kernel_config(tree.system(), "6.6.1"));
    tree.file("/proc/config.gz", "");
    EXPECT_FALSE(read_kernel_config(tree.system(), "6.6.1"));
    tree.gzip("/proc/config.gz", "something else");
    EXPECT_FALSE(read_kernel_config(tree.system(), "6.6.1"));
    tree.file("/boot/config-6.6.1", "\0\xff\x80 junk"s);
    EXPECT_FALSE(read_kernel_config(tree.system(), "6.6.1"));
    tree.file("/boot/config-6.6.1", kConfig);
    EXPECT_EQ(read_kernel_config(tree.system(), "6.6.1")->source, "/boot/config-6.6.1");
}

TEST(KernelConfig, DoesNotSwellWithACompressedBomb) {
    FixtureTree tree;
    tree.gzip("/proc/config.gz", "CONFIG_HZ=250\n" + std::string(64UL << 20U, 'x'));
    EXPECT_FALSE(read_kernel_config(tree.system(), "6.6.1"));
}

}  // namespace
}  // namespace bench
