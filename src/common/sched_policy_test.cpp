#include "common/sched_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "common/affinity.h"
#include "common/testing/scoped_syscalls.h"

namespace bench {
namespace {

using testing::ScopedSyscalls;

/// The words of struct sched_attr, 56 bytes.
using RawAttr = std::array<std::uint32_t, 14>;

/// What the fake kernel answers with.
RawAttr answer;
std::vector<unsigned> sizes_asked;

long fake_getattr(pid_t, void* attr, unsigned size, unsigned) {
    sizes_asked.push_back(size);
    std::memcpy(attr, answer.data(), std::min<std::size_t>(size, sizeof answer));
    return 0;
}

TEST(SchedAttributes, ReadsTheCallingThread) {
    std::thread([] {
        sched_param param{};
        ASSERT_EQ(sched_setscheduler(0, SCHED_BATCH, &param), 0);
        const auto attributes = get_sched_attributes();
        ASSERT_TRUE(attributes.ok());
        EXPECT_EQ(attributes->policy_text(), "batch");
        EXPECT_FALSE(attributes->reset_on_fork);
        ASSERT_EQ(sched_setscheduler(0, SCHED_IDLE | SCHED_RESET_ON_FORK, &param), 0);
        EXPECT_EQ(get_sched_attributes()->policy_text(), "idle+reset-on-fork");
    }).join();
}

TEST(SchedAttributes, ReadsNice) {
    std::thread([] {
        ASSERT_EQ(setpriority(PRIO_PROCESS, 0, 7), 0);
        EXPECT_EQ(get_sched_attributes()->nice, 7);
    }).join();
}

TEST(SchedAttributes, NamesEveryPolicy) {
    SchedAttributes attributes;
    EXPECT_EQ(attributes.policy_text(), "other");
    attributes.policy = 1;
    attributes.rt_priority = 50;
    EXPECT_EQ(attributes.policy_text(), "fifo:50");
    attributes.policy = 2;
    EXPECT_EQ(attributes.policy_text(), "rr:50");
    attributes.policy = 3;
    EXPECT_EQ(attributes.policy_text(), "batch");
    attributes.policy = 6;
    attributes.runtime_ns = 25'000'000;
    attributes.deadline_ns = attributes.period_ns = 100'000'000;
    EXPECT_EQ(attributes.policy_text(), "deadline:25ms/100ms/100ms");
    attributes.policy = 7;
    EXPECT_EQ(attributes.policy_text(), "ext");
    attributes.policy = 9;
    EXPECT_EQ(attributes.policy_text(), "policy 9");
    attributes.policy = 0xffffffff;
    EXPECT_EQ(attributes.policy_text(), "policy 4294967295");
}

TEST(SchedAttributes, SplitsTheResetOnForkBitOffThePolicy) {
    ScopedSyscalls calls;
    calls->sched_getattr = fake_getattr;
    answer = {48, 0x40000001, 0, 0, 0, 80};
    EXPECT_EQ(get_sched_attributes()->policy_text(), "fifo:80+reset-on-fork");
}

TEST(SchedAttributes, ReadsEveryField) {
    ScopedSyscalls calls;
    calls->sched_getattr = fake_getattr;
    answer = {56, 6, 1, 0, static_cast<std::uint32_t>(-5), 3, 10, 0, 20, 0, 30, 1, 100, 1024};
    const SchedAttributes attributes = get_sched_attributes().value();
    EXPECT_TRUE(attributes.reset_on_fork);
    EXPECT_EQ(attributes.nice, -5);
    EXPECT_EQ(attributes.rt_priority, 3U);
    EXPECT_EQ(attributes.runtime_ns, 10U);
    EXPECT_EQ(attributes.deadline_ns, 20U);
    EXPECT_EQ(attributes.period_ns, 30U + (1ULL << 32U));
    EXPECT_EQ(attributes.util_min, 100U);
    EXPECT_EQ(attributes.util_max, 1024U);
}

TEST(SchedAttributes, HasNoUtilClampFromAnOlderKernel) {
    ScopedSyscalls calls;
    calls->sched_getattr = fake_getattr;
    answer = {48, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 77, 88};
    const SchedAttributes attributes = get_sched_attributes().value();
    EXPECT_EQ(attributes.util_min, std::nullopt);
    EXPECT_EQ(attributes.util_max, std::nullopt);
}

TEST(SchedAttributes, AsksInTheSizeThatAnOlderKernelNames) {
    ScopedSyscalls calls;
    sizes_asked.clear();
    answer = {48, 3};
    calls->sched_getattr = [](pid_t tid, void* attr, unsigned size, unsigned flags) -> long {
        RawAttr given{};
        std::memcpy(given.data(), attr, size);
        EXPECT_EQ(given, RawAttr{}) << "not zeroed";
        if (size > 48) {
            sizes_asked.push_back(size);
            const std::uint32_t known = 48;
            std::memcpy(attr, &known, sizeof known);
            errno = E2BIG;
            return -1;
        }
        return fake_getattr(tid, attr, size, flags);
    };
    EXPECT_EQ(get_sched_attributes()->policy_text(), "batch");
    EXPECT_EQ(sizes_asked, (std::vector<unsigned>{56, 48}));
}

TEST(SchedAttributes, FallsBackToNothing) {
    ScopedSyscalls calls;
    calls->sched_getattr = [](pid_t, void*, unsigned, unsigned) -> long {
        errno = ENOSYS;
        return -1;
    };
    const auto missing = get_sched_attributes();
    ASSERT_FALSE(missing.ok());
    EXPECT_EQ(missing.error().code, ENOSYS);
    EXPECT_FALSE(read_back_self().ok());
}

TEST(ReadBackSelf, TellsTheCallingThreadsOwn) {
    std::thread([] {
        ASSERT_EQ(prctl(PR_SET_TIMERSLACK, 12'345UL, 0, 0, 0), 0);
        const auto self = read_back_self();
        ASSERT_TRUE(self.ok());
        EXPECT_EQ(self->timer_slack_ns, 12'345U);
        EXPECT_EQ(self->cpus_allowed, get_affinity()->to_list());
        EXPECT_EQ(self->sched, get_sched_attributes().value());
    }).join();
}

}  // namespace
}  // namespace bench
