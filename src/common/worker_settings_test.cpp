#include "common/worker_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "common/affinity.h"
#include "common/kernel_sched_attr.h"
#include "common/testing/scoped_syscalls.h"

namespace bench {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScopedSyscalls;

PolicyRequest policy(std::string_view text) {
    return parse_policy(text).value();
}

TEST(ParsePolicy, ReadsEveryPolicyAndWritesItBack) {
    for (const auto* text : {"other", "batch", "idle", "fifo:1", "fifo:99", "rr:50",
                             "deadline:25ms/100ms/100ms", "deadline:1.024us/2us/1s"}) {
        const auto parsed = parse_policy(text);
        ASSERT_TRUE(parsed.ok()) << text;
        EXPECT_EQ(parsed->text(), text);
    }
}

TEST(ParsePolicy, RefusesPrioritiesOutside1To99) {
    for (const auto* text : {"fifo:0", "fifo:100", "rr:-1", "rr:", "fifo:5x", "fifo:1.5"}) {
        const auto parsed = parse_policy(text);
        ASSERT_FALSE(parsed.ok()) << text;
        EXPECT_THAT(parsed.error().detail, HasSubstr("1..99")) << text;
    }
}

TEST(ParsePolicy, RefusesWhatIsNoPolicyAndSaysWhatIs) {
    for (const auto* text : {"", "fair", "fifo", "rr", "deadline", "other:1", "OTHER", "batch "}) {
        const auto parsed = parse_policy(text);
        ASSERT_FALSE(parsed.ok()) << text;
        EXPECT_THAT(parsed.error().detail, HasSubstr("fifo:PRIO")) << text;
    }
}

TEST(ParsePolicy, RefusesDeadlineParametersOutOfOrder) {
    for (const auto* text : {"deadline:30ms/20ms/100ms", "deadline:10ms/200ms/100ms"}) {
        const auto parsed = parse_policy(text);
        ASSERT_FALSE(parsed.ok()) << text;
        EXPECT_THAT(parsed.error().detail, HasSubstr("runtime <= deadline <= period")) << text;
    }
    EXPECT_FALSE(parse_policy("deadline:1000ns/1ms/1ms").ok());
    EXPECT_FALSE(parse_policy("deadline:25/100/100").ok());
    EXPECT_FALSE(parse_policy("deadline:1ms/2ms").ok());
    EXPECT_FALSE(parse_policy("deadline:1ms/2ms/3ms/4ms").ok());
}

TEST(ParseNice, ReadsTheWholeRangeAndNothingElse) {
    EXPECT_EQ(parse_nice("-20").value(), -20);
    EXPECT_EQ(parse_nice("0").value(), 0);
    EXPECT_EQ(parse_nice("19").value(), 19);
    for (const auto* text : {"-21", "20", "", "-", "--5", "+5", "5.0", " 5"}) {
        EXPECT_FALSE(parse_nice(text).ok()) << text;
    }
}

TEST(ParseSettings, RefuseWhatTheKernelWouldCutInSilence) {
    EXPECT_EQ(parse_slice("3ms").value(), Duration(3ms));
    EXPECT_FALSE(parse_slice("99us").ok());
    EXPECT_FALSE(parse_slice("101ms").ok());
    EXPECT_EQ(parse_uclamp("0:1024").value(), UclampRequest{});
    for (const auto* text : {"512", "600:500", "0:1025", "-1:5", "1:", ":1"}) {
        EXPECT_FALSE(parse_uclamp(text).ok()) << text;
    }
    EXPECT_EQ(parse_timer_slack("50us").value(), Duration(50us));
    EXPECT_FALSE(parse_timer_slack("0").ok());
    EXPECT_FALSE(parse_timer_slack("50").ok());
}

TEST(CheckSettings, RefusesWhatThePolicyMakesMeaningless) {
    const auto refused = [](WorkerSettings settings) {
        const Status sound = check_settings(settings);
        return sound.ok() ? std::string() : sound.error().object;
    };
    for (const auto* text : {"fifo:1", "rr:1", "deadline:1ms/2ms/2ms"}) {
        WorkerSettings settings;
        settings.policy = policy(text);
        settings.nice = 5;
        EXPECT_EQ(refused(settings), "--nice") << text;
        settings.nice.reset();
        settings.slice = 3ms;
        EXPECT_EQ(refused(settings), "--slice") << text;
        settings.slice.reset();
        settings.timer_slack = 1us;
        EXPECT_EQ(refused(settings), "--timer-slack") << text;
    }
    WorkerSettings settings;
    settings.policy = policy("batch");
    settings.nice = 5;
    settings.slice = 3ms;
    EXPECT_EQ(refused(settings), "");
    settings.policy = policy("idle");
    EXPECT_EQ(refused(settings), "--nice");
}

/// In a thread of its own, so that nothing sticks to the test.
template <class Body>
void in_thread(Body body) {
    std::thread(body).join();
}

TEST(ApplySettings, SetsPolicyNiceSlackAndCpuAndReadsThemBack) {
    const int cpu = get_affinity()->cpus().back();
    in_thread([cpu] {
        WorkerSettings settings;
        settings.policy = policy("batch");
        settings.nice = 5;
        settings.timer_slack = 70us;
        settings.pin_to = {0, cpu};
        const Status applied = apply_settings(settings, 3);
        ASSERT_TRUE(applied.ok()) << applied.error().message();
        const auto got = read_back_self().value();
        EXPECT_EQ(got.sched.policy_text(), "batch");
        EXPECT_EQ(got.sched.nice, 5);
        EXPECT_EQ(got.timer_slack_ns, 70'000U);
        EXPECT_EQ(got.cpus_allowed, std::to_string(cpu));
    });
}

TEST(ApplySettings, KeepsTheInheritedNiceWhenOnlyThePolicyIsAsked) {
    in_thread([] {
        WorkerSettings nice;
        nice.nice = 4;
        ASSERT_TRUE(apply_settings(nice, 0).ok());
        WorkerSettings settings;
        settings.policy = policy("batch");
        ASSERT_TRUE(apply_settings(settings, 0).ok());
        EXPECT_EQ(read_back_self()->sched.nice, 4);
    });
}

/// What the fake kernel was told last, and answers with.
KernelSchedAttr told;
unsigned told_size = 0;
int refusal = 0;
int refusals = 0;

long fake_setattr(pid_t, const void* attr, unsigned) {
    std::memcpy(&told_size, attr, sizeof told_size);
    told = {};
    std::memcpy(&told, attr, told_size);
    if (refusals > 0) {
        --refusals;
        errno = refusal;
        return -1;
    }
    return 0;
}

long echo_getattr(pid_t, void* attr, unsigned size, unsigned) {
    told.size = sizeof told;
    std::memcpy(attr, &told, size);
    return 0;
}

/// A kernel before 6.12: no slice under the fair policies.
long sliceless_getattr(pid_t tid, void* attr, unsigned size, unsigned flags) {
    KernelSchedAttr kept = told;
    told.runtime = 0;
    const long result = echo_getattr(tid, attr, size, flags);
    told = kept;
    return result;
}

class FakeKernel : public ::testing::Test {
  protected:
    FakeKernel() {
        told = {};
        refusal = 0;
        refusals = 0;
        calls->sched_setattr = fake_setattr;
        calls->sched_getattr = echo_getattr;
    }
    ScopedSyscalls calls;
};

TEST_F(FakeKernel, IsSentOnlyTheFieldsThatEveryKernelHas) {
    WorkerSettings settings;
    settings.policy = policy("fifo:80");
    ASSERT_TRUE(apply_settings(settings, 0).ok());
    EXPECT_EQ(told_size, kSizeWithoutUtil);
    EXPECT_EQ(told.policy, kSchedFifo);
    EXPECT_EQ(told.priority, 80U);
    EXPECT_EQ(told.flags, 0U);
    EXPECT_EQ(told.nice, 0);
    EXPECT_EQ(told.runtime + told.deadline + told.period, 0U);
}

TEST_F(FakeKernel, IsSentTheClampsWhenAskedFor) {
    WorkerSettings settings;
    settings.uclamp = UclampRequest{100, 200};
    ASSERT_TRUE(apply_settings(settings, 0).ok());
    EXPECT_EQ(told_size, 56U);
    EXPECT_EQ(told.flags, kFlagUtilClampMin | kFlagUtilClampMax);
    EXPECT_EQ(told.util_min, 100U);
    EXPECT_EQ(told.util_max, 200U);
}

TEST_F(FakeKernel, ThatIsTooOldForClampsSaysE2BIG) {
    refusal = E2BIG;
    refusals = 1000;
    WorkerSettings settings;
    settings.uclamp = UclampRequest{100, 200};
    const Status applied = apply_settings(settings, 0);
    ASSERT_FALSE(applied.ok());
    EXPECT_EQ(applied.error().code, E2BIG);
    EXPECT_THAT(explain_refusal(applied.error(), settings, 1, SystemRoot()).message(),
                HasSubstr("came with 5.3"));
}

TEST_F(FakeKernel, ThatIgnoresTheSliceIsNoticed) {
    calls->sched_getattr = sliceless_getattr;
    WorkerSettings settings;
    settings.slice = 3ms;
    const Status applied = apply_settings(settings, 0);
    ASSERT_FALSE(applied.ok());
    EXPECT_THAT(applied.error().message(), HasSubstr("Linux 6.12"));
}

TEST_F(FakeKernel, IsAskedAgainWhileEndedDeadlineTasksHoldTheirBandwidth) {
    refusal = EBUSY;
    refusals = 3;
    WorkerSettings settings;
    settings.policy = policy("deadline:25ms/100ms/100ms");
    EXPECT_TRUE(apply_settings(settings, 0).ok());
    EXPECT_EQ(refusals, 0);
}

TEST_F(FakeKernel, ThatGoesOnRefusingIsBelieved) {
    refusal = EBUSY;
    refusals = 1'000'000;
    WorkerSettings settings;
    settings.policy = policy("deadline:25us/100us/100us");
    const Status applied = apply_settings(settings, 0);
    ASSERT_FALSE(applied.ok());
    EXPECT_EQ(applied.error().code, EBUSY);
    EXPECT_EQ(applied.error().object, "policy deadline:25us/100us/100us");
}

TEST_F(FakeKernel, GivesNoNiceToAnInheritedRealtimePolicy) {
    told.policy = kSchedFifo;
    told.priority = 5;
    WorkerSettings settings;
    settings.nice = 5;
    const Status applied = apply_settings(settings, 0);
    ASSERT_FALSE(applied.ok());
    EXPECT_THAT(applied.error().message(), HasSubstr("policy fifo:5, which was inherited"));
}

TEST(SettingsDifferences, NameWhatTheKernelDidInstead) {
    WorkerSettings settings;
    settings.policy = policy("fifo:80");
    settings.nice = 3;
    WorkerReadback readback;
    EXPECT_THAT(settings_differences(settings, readback),
                ElementsAre("policy other instead of fifo:80", "nice 0 instead of 3"));
    readback.sched.policy = kSchedFifo;
    readback.sched.rt_priority = 80;
    readback.sched.nice = 3;
    EXPECT_THAT(settings_differences(settings, readback), IsEmpty());
}

TEST(SettingsDifferences, TakeAnExtensiblePolicyForTheNormalOnesButNotForRealtime) {
    WorkerReadback readback;
    readback.sched.policy = kSchedExt;
    WorkerSettings settings;
    settings.policy = policy("batch");
    EXPECT_THAT(settings_differences(settings, readback), IsEmpty());
    settings.policy = policy("fifo:1");
    EXPECT_THAT(settings_differences(settings, readback),
                ElementsAre("policy ext instead of fifo:1"));
}

}  // namespace
}  // namespace bench
