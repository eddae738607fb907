#include "common/sched_ext_scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "common/testing/fake_scheduler.h"
#include "common/testing/fixture_tree.h"
#include "common/testing/processes.h"

namespace bench {
namespace {

using namespace std::chrono_literals;
using testing::add_fake_scheduler;
using testing::add_sched_ext;
using ::testing::AllOf;
using testing::eventually;
using testing::file_text;
using testing::FixtureTree;
using testing::has_no_children;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kState = "/sys/kernel/sched_ext/state";

class SchedExt : public ::testing::Test {
  protected:
    SchedExt() {
        add_sched_ext(tree_);
        keeper_.emplace(Guardian::start({}).value());
    }

    /// A scheduler that runs, or the reason why not.
    Result<std::unique_ptr<SchedExtScheduler>> start(const std::string& body,
                                                     Duration patience = 60s) {
        const auto program = add_fake_scheduler(tree_, "scx_fake", body);
        return SchedExtScheduler::start({program, tree_.root() / "output", patience}, *keeper_,
                                        stop_, tree_.system());
    }
    std::string failure(const std::string& body, Duration patience = 60s) {
        const auto scheduler = start(body, patience);
        return scheduler.ok() ? "it started" : scheduler.error().message();
    }
    /// What change() says once it says something.
    std::string change_of(SchedExtScheduler& scheduler) {
        std::string text;
        EXPECT_TRUE(eventually([&] {
            text = scheduler.change().value_or("");
            return !text.empty();
        }));
        return text;
    }
    [[nodiscard]] std::string state() const { return *tree_.system().read_trimmed(kState); }

    FixtureTree tree_;
    StopSource stop_ = StopSource::create().value();
    std::optional<Guardian> keeper_;
};

TEST_F(SchedExt, RunsUntilItIsStopped) {
    auto scheduler = start("enable fake_1.0; serve");
    ASSERT_TRUE(scheduler.ok()) << scheduler.error().message();
    const Json json = (*scheduler)->description();
    EXPECT_EQ(json["state"], "enabled");
    EXPECT_EQ(json["ops"], "fake_1.0");
    EXPECT_EQ(json["enable_seq"], 4);
    EXPECT_THAT(json["program"].get<std::string>(), HasSubstr("/bin/scx_fake"));
    EXPECT_EQ((*scheduler)->change(), std::nullopt);
    EXPECT_TRUE((*scheduler)->stop(60s).ok());
    EXPECT_EQ(state(), "disabled");
    EXPECT_EQ(file_text(tree_.root() / "output"), "bye\n") << "it was asked to end";
    EXPECT_TRUE((*scheduler)->stop(60s).ok()) << "a second stop does nothing";
}

TEST_F(SchedExt, WaitsForAKernelThatTakesItsTime) {
    auto scheduler = start("put state enabling; sleep 0.1; enable fake_1.0; serve");
    ASSERT_TRUE(scheduler.ok()) << scheduler.error().message();
    EXPECT_EQ((*scheduler)->description()["state"], "enabled");
    EXPECT_TRUE((*scheduler)->stop(60s).ok());
}

TEST_F(SchedExt, AProgramThatFailsToStartHasTheLastWord) {
    EXPECT_THAT(failure("echo first; echo 'libbpf: no BTF' >&2; exit 3"),
                AllOf(HasSubstr("scx_fake"), HasSubstr("exit status 3"),
                      HasSubstr("it said: first | libbpf: no BTF"), Not(HasSubstr("\n"))));
    EXPECT_THAT(failure("kill -SEGV $$"), HasSubstr("killed by SIGSEGV"));
    EXPECT_THAT(failure("exit 0"), HasSubstr("exit status 0"));
}

TEST_F(SchedExt, AProgramThatEnablesNothingIsGivenUp) {
    EXPECT_THAT(failure("echo verifying; serve", 300ms),
                AllOf(HasSubstr("state disabled after 300"), HasSubstr("verifying")));
    keeper_.reset();
    EXPECT_TRUE(has_no_children());
}

TEST_F(SchedExt, ASignalCutsTheWaitShort) {
    ::kill(::getpid(), SIGTERM);
    EXPECT_THAT(failure("serve"), HasSubstr("stopped while it was started"));
    EXPECT_EQ(stop_.signal_number(), SIGTERM);
    keeper_.reset();
    EXPECT_TRUE(has_no_children());
}

TEST_F(SchedExt, AKernelWithoutIsSaidSo) {
    tree_.remove("/sys/kernel/sched_ext");
    EXPECT_THAT(failure("enable x; serve"), HasSubstr("CONFIG_SCHED_CLASS_EXT"));
}

TEST_F(SchedExt, AnotherThatIsLoadedIsNamed) {
    tree_.file(kState, "enabled\n").file("/sys/kernel/sched_ext/root/ops", "rusty_1.0\n");
    EXPECT_THAT(failure("serve"), HasSubstr("another one is loaded: rusty_1.0, state enabled"));
    EXPECT_EQ(state(), "enabled") << "it was left alone";
}

TEST_F(SchedExt, AProgramThatIsNotThereIsSaidSo) {
    EXPECT_THAT(SchedExtScheduler::check(tree_.system(), "scx_no_such").error().message(),
                HasSubstr("no such program in PATH"));
    EXPECT_THAT(SchedExtScheduler::check(tree_.system(), "/no/scx").error().message(),
                HasSubstr("no executable file"));
}

TEST_F(SchedExt, ADeathInMidCellIsTold) {
    auto scheduler = start(
        "enable fake_1.0; while [ ! -e die ]; do sleep 0.01; done; disable; "
        "echo 'EXIT: runnable task stall (watchdog)'; exit 1");
    ASSERT_TRUE(scheduler.ok()) << scheduler.error().message();
    EXPECT_EQ((*scheduler)->change(), std::nullopt);
    tree_.file("/sys/kernel/sched_ext/die", "");
    EXPECT_TRUE(eventually([&] {
        return (*scheduler)->change().value_or("").find("exit status 1") != std::string::npos;
    }));
    EXPECT_THAT(change_of(**scheduler),
                AllOf(HasSubstr("(fake_1.0) ended during the cell: exit status 1"),
                      HasSubstr("reports disabled"), HasSubstr("runnable task stall")));
    EXPECT_TRUE((*scheduler)->stop(60s).ok());
}

TEST_F(SchedExt, AProgramThatOutlivesItsSchedulerIsTold) {
    auto scheduler = start("enable fake_1.0; serve");
    ASSERT_TRUE(scheduler.ok());
    tree_.file(kState, "disabled\n");
    EXPECT_THAT(change_of(**scheduler), AllOf(HasSubstr("thrown out"), HasSubstr("disabled")));
    EXPECT_TRUE((*scheduler)->stop(60s).ok());
}

TEST_F(SchedExt, AnotherNameALoadAndRejectedTasksAreTold) {
    auto scheduler = start("enable fake_1.0; serve");
    ASSERT_TRUE(scheduler.ok());
    tree_.file("/sys/kernel/sched_ext/nr_rejected", "2\n");
    EXPECT_THAT(change_of(**scheduler), HasSubstr("rejected 2 tasks"));
    tree_.file("/sys/kernel/sched_ext/enable_seq", "6\n");
    EXPECT_THAT(change_of(**scheduler), HasSubstr("loaded anew"));
    tree_.file("/sys/kernel/sched_ext/root/ops", "other\n");
    EXPECT_THAT(change_of(**scheduler), HasSubstr("replaced by other"));
    EXPECT_TRUE((*scheduler)->stop(60s).ok());
}

TEST_F(SchedExt, AKernelThatTellsLessIsEnough) {
    tree_.remove("/sys/kernel/sched_ext/nr_rejected");
    auto scheduler = start("put state enabled; rm enable_seq; serve");
    ASSERT_TRUE(scheduler.ok()) << scheduler.error().message();
    const Json json = (*scheduler)->description();
    EXPECT_FALSE(json.contains("ops"));
    EXPECT_FALSE(json.contains("enable_seq"));
    EXPECT_FALSE(json.contains("nr_rejected"));
    EXPECT_EQ((*scheduler)->change(), std::nullopt);
    EXPECT_TRUE((*scheduler)->stop(60s).ok());
}

TEST_F(SchedExt, OneThatStaysIsAnError) {
    // The fixture's kernel does not notice that the program has ended.
    auto scheduler = start("trap - INT; enable fake_1.0; while :; do sleep 0.01; done");
    ASSERT_TRUE(scheduler.ok()) << scheduler.error().message();
    const Status stopped = (*scheduler)->stop(50ms);
    ASSERT_FALSE(stopped.ok());
    EXPECT_THAT(stopped.error().message(), HasSubstr("still reports state enabled"));
}

}  // namespace
}  // namespace bench
