#include "common/kernel_knob.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "common/testing/feature_file.h"
#include "common/testing/fixture_tree.h"
#include "common/testing/processes.h"
#include "common/testing/scoped_syscalls.h"

namespace bench {
namespace {

using ::testing::AllOf;
using testing::FeatureFile;
using testing::file_text;
using testing::FixtureTree;
using ::testing::HasSubstr;
using testing::ScopedSyscalls;

constexpr const char* kFeatures = "/sys/kernel/debug/sched/features";

/// Fails every opening of one kind with an errno.
class RefusedOpen {
  public:
    RefusedOpen(int access, int code) {
        state() = {calls_.real(), access, code};
        calls_->open = [](const char* path, int flags, mode_t mode) {
            if ((flags & O_ACCMODE) == state().access) {
                errno = state().code;
                return -1;
            }
            return state().real.open(path, flags, mode);
        };
    }

  private:
    struct State {
        Syscalls real{};
        int access = 0;
        int code = 0;
    };
    static State& state() {
        static State one;
        return one;
    }
    ScopedSyscalls calls_;
};

std::string failure(const Status& status) {
    return status.ok() ? "it succeeded" : status.error().message();
}

std::string failure(const Result<KernelKnob>& knob) {
    return knob.ok() ? "it succeeded" : knob.error().message();
}

TEST(SysctlKnob, IsReadSetAndPutBack) {
    FixtureTree tree;
    tree.file("/proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n");
    const SystemRoot system = tree.system();
    auto knob = read_sysctl_knob(system, "net.ipv4.tcp_rmem", "4096  131072\t99");
    ASSERT_TRUE(knob.ok()) << knob.error().message();
    EXPECT_EQ(knob->before, "4096 131072 6291456");
    EXPECT_EQ(knob->asked, "4096 131072 99");
    EXPECT_FALSE(knob->holds_already());
    ASSERT_TRUE(set_knob(system, *knob).ok());
    EXPECT_EQ(*current_value(system, *knob), "4096 131072 99");
    const FileContent old = old_content(system, *knob);
    EXPECT_EQ(old.path, system.resolve("/proc/sys/net/ipv4/tcp_rmem"));
    EXPECT_EQ(old.text, "4096\t131072\t6291456\n");
    EXPECT_TRUE(read_sysctl_knob(system, "net/ipv4/tcp_rmem", "4096 131072 99")->holds_already());
}

TEST(SysctlKnob, AnEmptyTextIsPutBackByALineFeed) {
    FixtureTree tree;
    tree.file("/proc/sys/kernel/text", "");
    EXPECT_EQ(read_sysctl_knob(tree.system(), "kernel.text", "x")->old_text, "\n");
}

TEST(SysctlKnob, SaysWhyItCannotBeRead) {
    FixtureTree tree;
    tree.file("/proc/sys/kernel/x", "1\n");
    EXPECT_THAT(failure(read_sysctl_knob(tree.system(), "kernel.y", "1")),
                AllOf(HasSubstr("sysctl kernel.y"), HasSubstr("no such key")));
    EXPECT_THAT(failure(read_sysctl_knob(tree.system(), "kernel", "1")),
                HasSubstr("a folder of keys"));
    EXPECT_THAT(failure(read_sysctl_knob(tree.system(), "kernel.../x", "1")),
                HasSubstr("empty part"));
    const RefusedOpen refused(O_RDONLY, EACCES);
    EXPECT_THAT(failure(read_sysctl_knob(tree.system(), "kernel.x", "1")),
                HasSubstr("can't be put back"));
}

TEST(SysctlKnob, SaysWhyItCannotBeSet) {
    FixtureTree tree;
    tree.file("/proc/sys/kernel/x", "1\n");
    const KernelKnob knob = read_sysctl_knob(tree.system(), "kernel.x", "2").value();
    for (const auto& [code, cause] :
         {std::pair(EROFS, "read-only here, as in containers"),
          std::pair(EINVAL, "does not take this value"),
          std::pair(EPERM, ::geteuid() == 0 ? "locked down" : "root is needed"),
          std::pair(EACCES, ::geteuid() == 0 ? "not even root" : "root is needed"),
          std::pair(EBUSY, "busy")}) {
        const RefusedOpen refused(O_WRONLY, code);
        EXPECT_THAT(failure(set_knob(tree.system(), knob)),
                    AllOf(HasSubstr("sysctl kernel.x to '2'"), HasSubstr(cause)));
    }
}

TEST(SysctlKnob, AValueThatTheKernelChangedIsAnError) {
    FixtureTree tree;
    tree.file("/proc/sys/kernel/x", "1\n");
    const KernelKnob knob = read_sysctl_knob(tree.system(), "kernel.x", "2000").value();
    static ScopedSyscalls* calls = nullptr;
    ScopedSyscalls scoped;
    calls = &scoped;
    scoped->write = [](int fd, const void*, std::size_t size) -> ssize_t {
        return calls->real().write(fd, "100\n", 4) == 4 ? static_cast<ssize_t>(size) : -1;
    };
    EXPECT_THAT(failure(set_knob(tree.system(), knob)), HasSubstr("reads back '100'"));
}

TEST(FeatureKnob, SwitchesOneWordOfMany) {
    FixtureTree tree;
    tree.file(kFeatures, "PLACE_LAG NO_NEXT_BUDDY WAKEUP_PREEMPTION \n");
    const FeatureFile file;
    const SystemRoot system = tree.system();
    const KernelKnob off = read_feature_knob(system, "NO_PLACE_LAG").value();
    const KernelKnob on = read_feature_knob(system, "NEXT_BUDDY").value();
    EXPECT_EQ(off.before, "PLACE_LAG");
    EXPECT_EQ(on.before, "NO_NEXT_BUDDY");
    ASSERT_TRUE(set_knob(system, off).ok());
    ASSERT_TRUE(set_knob(system, on).ok());
    EXPECT_EQ(file_text(system.resolve(kFeatures)), "NO_PLACE_LAG NEXT_BUDDY WAKEUP_PREEMPTION \n");
    EXPECT_EQ(*current_value(system, off), "NO_PLACE_LAG");
    ASSERT_TRUE(system.write(kFeatures, old_content(system, off).text).ok());
    EXPECT_EQ(*current_value(system, off), "PLACE_LAG");
    EXPECT_EQ(*current_value(system, on), "NEXT_BUDDY");
    EXPECT_TRUE(read_feature_knob(system, "WAKEUP_PREEMPTION")->holds_already());
}

TEST(FeatureKnob, IsFoundWhereOlderKernelsHaveIt) {
    FixtureTree tree;
    tree.file("/sys/kernel/debug/sched_features", "GENTLE_FAIR_SLEEPERS NO_HRTICK\n");
    const KernelKnob knob = read_feature_knob(tree.system(), "NO_GENTLE_FAIR_SLEEPERS").value();
    EXPECT_EQ(knob.path, "/sys/kernel/debug/sched_features");
    EXPECT_EQ(knob.before, "GENTLE_FAIR_SLEEPERS");
}

TEST(FeatureKnob, AnUnknownOneIsAnsweredWithThoseThereAre) {
    FixtureTree tree;
    tree.file(kFeatures, "PLACE_LAG NO_NEXT_BUDDY\n");
    for (const char* word : {"GENTLE", "NO_GENTLE", "PLACE", "NEXT_BUDD"}) {
        EXPECT_THAT(failure(read_feature_knob(tree.system(), word)),
                    HasSubstr("it has PLACE_LAG, NEXT_BUDDY"));
    }
}

TEST(FeatureKnob, SaysWhyTheFileCannotBeHad) {
    FixtureTree tree;
    tree.folder("/sys/kernel/debug");
    EXPECT_THAT(failure(read_feature_knob(tree.system(), "A")), HasSubstr("mount -t debugfs"));
    tree.folder("/sys/kernel/debug/bdi");
    EXPECT_THAT(failure(read_feature_knob(tree.system(), "A")), HasSubstr("CONFIG_SCHED_DEBUG"));
    tree.file(kFeatures, "A B\n");
    for (const int code : {EPERM, EACCES}) {
        const RefusedOpen refused(O_RDONLY, code);
        EXPECT_THAT(failure(read_feature_knob(tree.system(), "A")), HasSubstr("root"));
    }
}

}  // namespace
}  // namespace bench
