#include "latt/requirements.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "common/testing/fixture_tree.h"
#include "latt/wake_channel.h"

namespace bench::latt {
namespace {

using bench::testing::FixtureTree;
using ::testing::HasSubstr;

TEST(CheckMemory, RefusesMoreWorkThanMemoryHolds) {
    FixtureTree tree;
    tree.file(
        "/proc/meminfo",
        "MemTotal:       8000000 kB\nMemAvailable:   2097152 kB\nSwapFree:       1048576 kB\n");
    Options options;
    options.work = ByteSize{1024ULL * 1024U * 1024U};  // two buffers each: 1 fits 3 GiB, 2 do not
    EXPECT_TRUE(check_memory(options, 1, tree.system()).ok());
    const Status refused = check_memory(options, 2, tree.system());
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message(), HasSubstr("for 2 clients"));
    EXPECT_THAT(refused.error().message(), HasSubstr("3072 MiB available"));
}

TEST(CheckMemory, LetsTenThousandClientsOfTheClassicWorkInTwoGigabytes) {
    FixtureTree tree;
    tree.file("/proc/meminfo", "MemAvailable:   2097152 kB\nSwapFree:       0 kB\n");
    EXPECT_TRUE(check_memory(Options{}, 10'000, tree.system()).ok());
    EXPECT_FALSE(check_memory(Options{}, 100'000, tree.system()).ok());
}

TEST(CheckMemory, TakesAMachineThatDoesNotTellAsItIs) {
    FixtureTree tree;
    EXPECT_TRUE(check_memory(Options{}, 100'000, tree.system()).ok());
    tree.file("/proc/meminfo", "MemAvailable: much kB\nMemAvailable");
    EXPECT_TRUE(check_memory(Options{}, 100'000, tree.system()).ok());
}

// Runs `body` in a child whose limit on descriptors is its own.
int in_child_with_descriptors(rlim_t soft, rlim_t hard, const std::function<int()>& body) {
    const pid_t child = ::fork();
    if (child == 0) {
        const rlimit limit{soft, hard};
        ::_exit(::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? body() : 99);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int try_hundred_clients(WakeKind wake) {
    Options options;
    options.wake = wake;
    if (const Status able = check_requirements(options, 100, SystemRoot()); !able) {
        return able.error().message().find("NOFILE") != std::string::npos ? 1 : 2;
    }
    return WakeChannel::create(wake, 100).ok() ? 0 : 3;
}

TEST(CheckRequirements, RaisesTheSoftLimitOfDescriptorsAndNamesTheHardOne) {
    const auto pipes = [] { return try_hundred_clients(WakeKind::pipe); };
    EXPECT_EQ(in_child_with_descriptors(40, 1024, pipes), 0);
    EXPECT_EQ(in_child_with_descriptors(40, 40, pipes), 1);
    // 100 eventfd clients need half of what pipes need, futexes none.
    const auto eventfds = [] { return try_hundred_clients(WakeKind::eventfd); };
    EXPECT_EQ(in_child_with_descriptors(40, 300, pipes), 1);
    EXPECT_EQ(in_child_with_descriptors(40, 300, eventfds), 0);
    const auto futexes = [] { return try_hundred_clients(WakeKind::futex); };
    EXPECT_EQ(in_child_with_descriptors(40, 40, futexes), 0);
}

}  // namespace
}  // namespace bench::latt
