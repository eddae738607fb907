#include "common/scheduler_switches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "common/testing/fake_scheduler.h"
#include "common/testing/feature_file.h"
#include "common/testing/fixture_tree.h"
#include "common/testing/processes.h"
#include "common/testing/temp_folder.h"

namespace bench {
namespace {

using testing::add_fake_scheduler;
using testing::add_sched_ext;
using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::eventually;
using testing::FeatureFile;
using testing::FixtureTree;
using testing::has_no_children;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::names_in;
using testing::TemporaryFolder;

constexpr const char* kA = "/proc/sys/kernel/sched_a";
constexpr const char* kB = "/proc/sys/kernel/sched_b";
constexpr const char* kAutogroup = "/proc/sys/kernel/sched_autogroup_enabled";
constexpr const char* kFeatures = "/sys/kernel/debug/sched/features";
constexpr const char* kState = "/sys/kernel/sched_ext/state";

class SwitchesTest : public ::testing::Test {
  protected:
    SwitchesTest() {
        tree_.file(kA, "1\n").file(kB, "2\n").file(kFeatures, "PLACE_LAG NO_NEXT_BUDDY \n");
        add_sched_ext(tree_);
        ::setenv("TMPDIR", scratch_.path().c_str(), 1);
    }
    ~SwitchesTest() override {
        ::unsetenv("TMPDIR");
        EXPECT_TRUE(has_no_children());
        EXPECT_THAT(names_in(scratch_.path()), IsEmpty());
    }

    Result<std::unique_ptr<SchedulerSwitches>> apply(const SwitchOptions& options) {
        return SchedulerSwitches::apply(options, stop_, tree_.system());
    }
    std::unique_ptr<SchedulerSwitches> must_apply(const SwitchOptions& options) {
        auto switches = apply(options);
        if (!switches) {
            ADD_FAILURE() << switches.error().message();
            return std::make_unique<Nothing>();
        }
        return std::move(switches).value();
    }
    std::string failure(const SwitchOptions& options) {
        const auto switches = apply(options);
        if (switches.ok()) {
            return "it succeeded";
        }
        EXPECT_TRUE(switches.error().not_started);
        return switches.error().message();
    }
    [[nodiscard]] std::string text(std::string_view path) const {
        return tree_.system().read_trimmed(path).value_or("absent");
    }

    struct Nothing final : SchedulerSwitches {
        [[nodiscard]] Json description() const override { return {}; }
        [[nodiscard]] std::vector<std::string> changes() override { return {}; }
        [[nodiscard]] Status restore() override { return {}; }
    };

    FixtureTree tree_;
    TemporaryFolder scratch_;
    FeatureFile features_;
    StopSource stop_ = StopSource::create().value();
};

TEST_F(SwitchesTest, NothingAskedIsNothingDone) {
    auto switches = must_apply({});
    EXPECT_EQ(switches->description().dump(), "{}");
    EXPECT_THAT(switches->changes(), IsEmpty());
    EXPECT_TRUE(has_no_children());
    EXPECT_TRUE(switches->restore().ok());
}

TEST_F(SwitchesTest, KnobsAreSetRecordedAndPutBack) {
    SwitchOptions options;
    options.sysctls = {{"kernel.sched_a", "10"}, {"kernel/sched_b", "2"}};
    options.sched_features = {"NO_PLACE_LAG", "NEXT_BUDDY"};
    auto switches = must_apply(options);
    EXPECT_EQ(text(kA), "10");
    EXPECT_EQ(text(kFeatures), "NO_PLACE_LAG NEXT_BUDDY");
    EXPECT_EQ(switches->description().dump(),
              R"({"sysctls":{"kernel.sched_a":{"asked":"10","before":"1","read_back":"10"},)"
              R"("kernel.sched_b":{"asked":"2","before":"2","read_back":"2"}},)"
              R"("sched_features":{"PLACE_LAG":{"asked":"NO_PLACE_LAG","before":"PLACE_LAG",)"
              R"("read_back":"NO_PLACE_LAG"},"NEXT_BUDDY":{"asked":"NEXT_BUDDY",)"
              R"("before":"NO_NEXT_BUDDY","read_back":"NEXT_BUDDY"}}})");
    EXPECT_THAT(switches->changes(), IsEmpty());
    EXPECT_TRUE(switches->restore().ok());
    EXPECT_EQ(text(kA), "1");
    EXPECT_EQ(text(kFeatures), "PLACE_LAG NO_NEXT_BUDDY");
    tree_.file(kA, "77\n");
    EXPECT_TRUE(switches->restore().ok()) << "the second time it does nothing";
    switches.reset();
    EXPECT_EQ(text(kA), "77");
}

TEST_F(SwitchesTest, DestroyingThemPutsBackToo) {
    SwitchOptions options;
    options.sysctls = {{"kernel.sched_a", "10"}};
    must_apply(options).reset();
    EXPECT_EQ(text(kA), "1");
}

TEST_F(SwitchesTest, AKnobThatSomebodyTurnedIsTold) {
    SwitchOptions options;
    options.sysctls = {{"kernel.sched_a", "10"}, {"kernel.sched_b", "2"}};
    auto switches = must_apply(options);
    tree_.file(kA, "11\n").file(kB, "3\n");
    EXPECT_THAT(switches->changes(),
                ElementsAre(HasSubstr("kernel.sched_a became '11'"),
                            HasSubstr("kernel.sched_b became '3' during the cell")));
    EXPECT_TRUE(switches->restore().ok());
    EXPECT_EQ(text(kA), "1");
    EXPECT_EQ(text(kB), "3") << "we never set it";
}

TEST_F(SwitchesTest, AFailureLeavesTheMachineAsItWas) {
    SwitchOptions options;
    options.sysctls = {{"kernel.sched_a", "10"}, {"kernel.sched_none", "1"}};
    EXPECT_THAT(failure(options), HasSubstr("kernel.sched_none"));
    EXPECT_EQ(text(kA), "1");
    // Found out only when the first has been set.
    features_.calls().write = [](int fd, const void* data, std::size_t size) -> ssize_t {
        if (std::string_view(static_cast<const char*>(data), size) == "20\n") {
            errno = EINVAL;
            return -1;
        }
        return ::write(fd, data, size);
    };
    options.sysctls[1] = {"kernel.sched_b", "20"};
    EXPECT_THAT(failure(options), HasSubstr("kernel.sched_b to '20'"));
    EXPECT_EQ(text(kA), "1");
}

TEST_F(SwitchesTest, WhatCannotBePutBackIsNamed) {
    SwitchOptions options;
    options.sysctls = {{"kernel.sched_a", "10"}};
    auto switches = must_apply(options);
    tree_.remove(kA);
    const Status restored = switches->restore();
    ASSERT_FALSE(restored.ok());
    EXPECT_THAT(restored.error().message(),
                HasSubstr("kernel.sched_a was '1' and is not readable"));
}

TEST_F(SwitchesTest, OnlyOneAtATime) {
    SwitchOptions options;
    options.sysctls = {{"kernel.sched_a", "10"}};
    auto first = must_apply(options);
    options.sysctls = {{"kernel.sched_b", "20"}};
    EXPECT_THAT(failure(options), HasSubstr("another bench has switched"));
    EXPECT_EQ(text(kB), "2");
    EXPECT_TRUE(first->restore().ok());
    EXPECT_TRUE(must_apply(options)->restore().ok());
}

TEST_F(SwitchesTest, AutogroupIsItsSysctl) {
    tree_.file(kAutogroup, "1\n");
    SwitchOptions options;
    options.autogroup = false;
    auto switches = must_apply(options);
    EXPECT_EQ(text(kAutogroup), "0");
    EXPECT_EQ(switches->description().dump(),
              R"({"autogroup":{"asked":"off","before":"on","read_back":"off"}})");
    EXPECT_TRUE(switches->restore().ok());
    EXPECT_EQ(text(kAutogroup), "1");
    options.sysctls = {{"kernel.sched_autogroup_enabled", "1"}};
    EXPECT_THAT(failure(options), HasSubstr("--autogroup sets"));
}

TEST_F(SwitchesTest, WithoutAutogroupsTheyAreOff) {
    SwitchOptions options;
    options.autogroup = false;
    auto switches = must_apply(options);
    EXPECT_EQ(switches->description().dump(),
              R"({"autogroup":{"asked":"off","note":"this kernel has no autogroups"}})");
    EXPECT_TRUE(switches->restore().ok());
    options.autogroup = true;
    EXPECT_THAT(failure(options), HasSubstr("CONFIG_SCHED_AUTOGROUP"));
}

TEST_F(SwitchesTest, AutogroupActsInTheRootCpuCgroupAlone) {
    const std::string group = "/sys/fs/cgroup/user.slice";
    tree_.file(kAutogroup, "0\n")
        .file("/proc/self/cgroup", "0::/user.slice\n")
        .file("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
        .file("/sys/fs/cgroup/cgroup.procs", "")
        .file("/sys/fs/cgroup/cgroup.controllers", "cpu\n")
        .file(group + "/cgroup.procs", "")
        .file(group + "/cgroup.type", "domain\n")
        .file(group + "/cgroup.controllers", "cpu\n");
    SwitchOptions options;
    options.autogroup = true;
    EXPECT_THAT(failure(options), AllOf(HasSubstr("root cpu cgroup"), HasSubstr("/user.slice")));
    EXPECT_EQ(text(kAutogroup), "0");
    // Without the cpu controller of its own it is the root's.
    tree_.file(group + "/cgroup.controllers", "memory\n");
    EXPECT_TRUE(must_apply(options)->restore().ok());
}

TEST_F(SwitchesTest, AFakeSchedulerInPathRunsAboveTheKnobs) {
    const auto program = add_fake_scheduler(
        tree_, "scx_fake_of_test", "cat ../../../proc/sys/kernel/sched_a; enable fake_1.0; serve");
    const std::string old_path = std::getenv("PATH");
    ::setenv("PATH", (program.parent_path().string() + ":" + old_path).c_str(), 1);
    SwitchOptions options;
    options.scx = "scx_fake_of_test";
    options.sysctls = {{"kernel.sched_a", "10"}};
    auto switches = must_apply(options);
    ::setenv("PATH", old_path.c_str(), 1);
    EXPECT_EQ(text(kState), "enabled");
    const Json json = switches->description();
    EXPECT_EQ(json["sched_ext"]["asked"], "scx_fake_of_test");
    EXPECT_EQ(json["sched_ext"]["ops"], "fake_1.0");
    EXPECT_THAT(switches->changes(), IsEmpty());
    tree_.file(kState, "disabled\n");
    EXPECT_THAT(switches->changes(),
                ElementsAre(AllOf(HasSubstr("thrown out"), HasSubstr("it said: 10"))));
    tree_.file(kState, "enabled\n");
    EXPECT_TRUE(switches->restore().ok());
    EXPECT_EQ(text(kState), "disabled") << "its program was asked to end";
    EXPECT_EQ(text(kA), "1");
}

TEST_F(SwitchesTest, ASchedulerThatFailsLeavesTheKnobsAsTheyWere) {
    const auto program = add_fake_scheduler(tree_, "scx_bad", "echo no BTF >&2; exit 1");
    SwitchOptions options;
    options.scx = program.string();
    options.sysctls = {{"kernel.sched_a", "10"}};
    EXPECT_THAT(failure(options), AllOf(HasSubstr("exit status 1"), HasSubstr("no BTF")));
    EXPECT_EQ(text(kA), "1");
    options.scx = "/no/such/scx";
    EXPECT_THAT(failure(options), HasSubstr("no executable file"));
}

}  // namespace
}  // namespace bench
