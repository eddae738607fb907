#include "common/available_memory.h"

#include <gmock/gmock.h>

#include "common/testing/fixture_tree.h"

namespace bench {
namespace {

using testing::FixtureTree;
using ::testing::HasSubstr;

TEST(AvailableMemory, IsWhatIsFreeWithSwap) {
    FixtureTree tree;
    tree.file("/proc/meminfo",
              "MemTotal:       8000 kB\nMemAvailable:   2048 kB\nSwapFree:       1024 kB\n");
    EXPECT_EQ(available_memory(tree.system()), 3072ULL * 1024);
    tree.file("/proc/meminfo", "MemAvailable:   2048 kB\n");
    EXPECT_EQ(available_memory(tree.system()), 2048ULL * 1024);
}

TEST(AvailableMemory, IsAbsentWhereTheMachineDoesNotTell) {
    FixtureTree tree;
    EXPECT_EQ(available_memory(tree.system()), std::nullopt);
    tree.file("/proc/meminfo", "MemAvailable: much kB\nSwapFree: 1024 kB\n");
    EXPECT_EQ(available_memory(tree.system()), std::nullopt);
    EXPECT_TRUE(check_available_memory(1ULL << 60U, "for all", "less", tree.system()).ok());
}

TEST(CheckAvailableMemory, NamesNeedPurposeAndCure) {
    FixtureTree tree;
    tree.file("/proc/meminfo", "MemAvailable:   2048 kB\n");
    EXPECT_TRUE(check_available_memory(2048ULL * 1024, "for 3 clients", "", tree.system()).ok());
    const Status refused = check_available_memory(3072ULL * 1024, "for 3 clients",
                                                  "fewer clients need less", tree.system());
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().message(),
              "memory for 3 clients: at least 3 MiB needed, 2 MiB available with free swap; fewer "
              "clients need less");
}

}  // namespace
}  // namespace bench
