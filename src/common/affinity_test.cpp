#include "common/affinity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/testing/fixture_tree.h"
#include "common/testing/scoped_affinity.h"
#include "common/testing/scoped_syscalls.h"

namespace bench {
namespace {

using ::testing::AllOf;
using testing::FixtureTree;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ScopedAffinity;
using testing::ScopedSyscalls;

CpuSet cpus(std::string_view list) {
    return CpuSet::parse(list).value();
}

/// A kernel with masks of `bytes` bytes, all of whose CPUs are allowed.
template <std::size_t bytes>
long big_kernel_getaffinity(pid_t, std::size_t size, unsigned long* mask) {
    if (size < bytes) {
        errno = EINVAL;
        return -1;
    }
    std::memset(mask, 0xff, bytes);
    return bytes;
}

TEST(Affinity, AgreesWithTheKernelsOwnList) {
    const auto status = SystemRoot().read("/proc/thread-self/status");
    ASSERT_TRUE(status.ok());
    EXPECT_THAT(*status,
                HasSubstr("Cpus_allowed_list:\t" + get_affinity().value().to_list() + "\n"));
}

TEST(Affinity, GrowsTheMaskUntilTheKernelTakesIt) {
    ScopedSyscalls calls;
    calls->sched_getaffinity = big_kernel_getaffinity<256>;
    EXPECT_EQ(get_affinity().value().to_list(), "0-2047");
    calls->sched_getaffinity = big_kernel_getaffinity<160>;
    EXPECT_EQ(get_affinity().value().to_list(), "0-1279");
    calls->sched_getaffinity = big_kernel_getaffinity<8>;
    EXPECT_EQ(get_affinity().value().to_list(), "0-63");
}

TEST(Affinity, GivesUpWhenNoMaskIsLargeEnough) {
    ScopedSyscalls calls;
    calls->sched_getaffinity = [](pid_t, std::size_t, unsigned long*) -> long {
        errno = EINVAL;
        return -1;
    };
    const auto refused = get_affinity();
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, EINVAL);
}

TEST(Affinity, PinsAndReadsBack) {
    const ScopedAffinity restore;
    const CpuSet one({restore.saved().cpus().back()});
    ASSERT_TRUE(set_affinity(one).ok());
    EXPECT_EQ(get_affinity().value(), one);
}

TEST(Affinity, SetsCpusBeyondTheFirstThousand) {
    static CpuSet set;
    ScopedSyscalls calls;
    calls->sched_setaffinity = [](pid_t, std::size_t size, const unsigned long* mask) -> long {
        std::vector<int> bits;
        for (std::size_t bit = 0; bit < size * 8; ++bit) {
            if ((mask[bit / 64] >> (bit % 64) & 1UL) != 0) {
                bits.push_back(static_cast<int>(bit));
            }
        }
        set = CpuSet(bits);
        return 0;
    };
    // 128 bytes hold CPUs 0-1023; this fake kernel reads and answers 160.
    calls->sched_getaffinity = [](pid_t, std::size_t size, unsigned long* mask) -> long {
        if (size < 160) {
            errno = EINVAL;
            return -1;
        }
        for (const int cpu : set.cpus()) {
            mask[cpu / 64] |= 1UL << (cpu % 64);
        }
        return 160;
    };
    EXPECT_TRUE(set_affinity(cpus("0,64,1100,1279")).ok());
    EXPECT_EQ(set.to_list(), "0,64,1100,1279");
}

TEST(Affinity, RefusalIsAnErrorWithItsCause) {
    const Status refused = set_affinity(cpus("1048575"));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, EINVAL);
    EXPECT_THAT(refused.error().message(), AllOf(HasSubstr("1048575"), HasSubstr("online")));
    EXPECT_FALSE(set_affinity(CpuSet()).ok());
}

TEST(Affinity, NarrowingIsAnError) {
    const ScopedAffinity restore;
    const int first = restore.saved().cpus().front();
    const Status narrowed = set_affinity(CpuSet({first, 1'000'000}));
    ASSERT_FALSE(narrowed.ok());
    EXPECT_EQ(narrowed.error().code, 0);
    EXPECT_THAT(narrowed.error().message(),
                HasSubstr("gave CPUs " + std::to_string(first) + " instead"));
}

TEST(Affinity, ReadsTheKernelsCpuLists) {
    FixtureTree tree;
    tree.file("/sys/devices/system/cpu/online", "0-3,6\n")
        .file("/sys/devices/system/cpu/possible", "0-7\n")
        .file("/sys/devices/system/cpu/isolated", "\n");
    EXPECT_EQ(online_cpus(tree.system()), cpus("0-3,6"));
    EXPECT_EQ(possible_cpus(tree.system()), cpus("0-7"));
    EXPECT_EQ(isolated_cpus(tree.system()), CpuSet());
    tree.remove("/sys").file("/sys/devices/system/cpu/online", "junk\n");
    EXPECT_EQ(online_cpus(tree.system()), std::nullopt);
    EXPECT_EQ(isolated_cpus(tree.system()), std::nullopt);
}

TEST(CheckCpusUsable, TellsOfflineAbsentAndOutsideApart) {
    FixtureTree tree;
    tree.file("/sys/devices/system/cpu/online", "0-3,6-7\n")
        .file("/sys/devices/system/cpu/possible", "0-7\n");
    const CpuSet allowed = cpus("1,3");
    EXPECT_TRUE(check_cpus_usable(cpus("1,3"), allowed, tree.system()).ok());
    EXPECT_TRUE(check_cpus_usable(cpus("3"), allowed, tree.system()).ok());

    const Status mixed = check_cpus_usable(cpus("0,1,5,9-10"), allowed, tree.system());
    ASSERT_FALSE(mixed.ok());
    EXPECT_EQ(mixed.error().code, 0);
    EXPECT_EQ(
        mixed.error().message(),
        "--cpus 0-1,5,9-10: CPUs 9-10 do not exist (this machine has CPUs 0-7); CPU 5 is "
        "offline; CPU 0 lies outside the mask this process inherited (CPUs 1,3, from taskset, "
        "a cpuset or a container)");

    const Status outside = check_cpus_usable(cpus("0"), allowed, tree.system());
    ASSERT_FALSE(outside.ok());
    EXPECT_THAT(outside.error().message(),
                AllOf(HasSubstr("inherited"), Not(HasSubstr("offline")), Not(HasSubstr("exist"))));
    EXPECT_FALSE(check_cpus_usable(CpuSet(), allowed, tree.system()).ok());
}

TEST(CheckCpusUsable, CallsAnEmptySocketAbsent) {
    FixtureTree tree;
    tree.file("/sys/devices/system/cpu/online", "0-1\n")
        .file("/sys/devices/system/cpu/present", "0-1\n")
        .file("/sys/devices/system/cpu/possible", "0-254\n");
    const Status absent = check_cpus_usable(cpus("2"), cpus("0-1"), tree.system());
    ASSERT_FALSE(absent.ok());
    EXPECT_THAT(absent.error().message(), HasSubstr("CPU 2 does not exist"));
}

TEST(CheckCpusUsable, SaysOutsideWhenNothingElseIsKnown) {
    const FixtureTree tree;
    const Status outside = check_cpus_usable(cpus("2"), cpus("0-1"), tree.system());
    ASSERT_FALSE(outside.ok());
    EXPECT_THAT(outside.error().message(), HasSubstr("CPU 2 lies outside"));
}

}  // namespace
}  // namespace bench
