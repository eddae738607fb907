#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

#include <atomic>
#include <functional>

#include "common/guardian.h"
#include "common/scheduler_switches.h"
#include "common/testing/fake_scheduler.h"
#include "common/testing/feature_file.h"
#include "common/testing/fixture_tree.h"
#include "common/testing/processes.h"

// Whatever ends the process that switched the machine: the machine is put back.
namespace bench {
namespace {

using testing::add_fake_scheduler;
using testing::add_sched_ext;
using testing::eventually;
using testing::FeatureFile;
using testing::FixtureTree;
using testing::is_alive;
using testing::SharedValue;

constexpr const char* kKnob = "/proc/sys/kernel/sched_a";
constexpr const char* kFeatures = "/sys/kernel/debug/sched/features";

/// Switches the machine in a process group of its own, and waits there for a signal.
pid_t start_holder(const SwitchOptions& options, const SystemRoot& system,
                   SharedValue<std::atomic<bool>>& applied) {
    const pid_t holder = ::fork();
    if (holder != 0) {
        return holder;
    }
    ::setpgid(0, 0);
    int status = EXIT_FAILURE;
    {
        StopSource stop = StopSource::create().value();
        auto switches = SchedulerSwitches::apply(options, stop, system);
        // Another test of the same machine may hold the lock.
        while (!switches && switches.error().message().find("another bench") != std::string::npos) {
            ::usleep(5000);
            switches = SchedulerSwitches::apply(options, stop, system);
        }
        if (!switches) {
            static_cast<void>(::write(STDERR_FILENO, switches.error().message().c_str(),
                                      switches.error().message().size()));
            ::_exit(EXIT_FAILURE);
        }
        *applied = true;
        while (stop.wait_until(MonotonicClock::now() + std::chrono::hours(1)) !=
               StopReason::signal) {
        }
        status = EXIT_SUCCESS;
    }
    ::_exit(status);
}

/// Once this holds, whoever had switched has put everything back.
bool can_lock(const SystemRoot& system) {
    const Fd fd(::open(system.resolve("/proc").c_str(), O_RDONLY | O_CLOEXEC));
    return ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0;
}

const std::vector<std::pair<const char*, std::function<void(pid_t)>>>& ways_to_end() {
    static const std::vector<std::pair<const char*, std::function<void(pid_t)>>> ways = {
        {"SIGKILL", [](pid_t holder) { ::kill(holder, SIGKILL); }},
        {"SIGKILL to its group", [](pid_t holder) { ::kill(-holder, SIGKILL); }},
        {"SIGTERM", [](pid_t holder) { ::kill(holder, SIGTERM); }},
        {"SIGINT to its group", [](pid_t holder) { ::kill(-holder, SIGINT); }}};
    return ways;
}

TEST(KilledSwitches, AFixtureIsPutBackHoweverItsHolderEnds) {
    for (const auto& [name, end] : ways_to_end()) {
        SCOPED_TRACE(name);
        FixtureTree tree;
        tree.file(kKnob, "1\n").file(kFeatures, "PLACE_LAG NO_NEXT_BUDDY\n");
        add_sched_ext(tree);
        const SystemRoot system = tree.system();
        const FeatureFile features;
        SwitchOptions options;
        options.scx = add_fake_scheduler(tree, "scx_fake", "echo $$ > pid; enable fake; serve");
        options.sysctls = {{"kernel.sched_a", "10"}};
        options.sched_features = {"NO_PLACE_LAG"};
        SharedValue<std::atomic<bool>> applied;
        const pid_t holder = start_holder(options, system, applied);
        ASSERT_TRUE(eventually([&] { return applied->load() || !is_alive(holder); }));
        EXPECT_EQ(system.read_trimmed(kKnob), "10");
        EXPECT_EQ(system.read_trimmed(kFeatures), "NO_PLACE_LAG NO_NEXT_BUDDY");
        EXPECT_FALSE(can_lock(system));
        const auto scheduler = system.read_integer("/sys/kernel/sched_ext/pid");
        ASSERT_TRUE(scheduler && is_alive(static_cast<pid_t>(*scheduler)));
        end(holder);
        ::waitpid(holder, nullptr, 0);
        EXPECT_TRUE(eventually([&] { return can_lock(system); }));
        EXPECT_EQ(system.read_trimmed(kKnob), "1");
        EXPECT_EQ(system.read_trimmed(kFeatures), "PLACE_LAG NO_NEXT_BUDDY");
        EXPECT_FALSE(is_alive(static_cast<pid_t>(*scheduler)));
    }
}

TEST(KilledSwitches, TheSchedulerIsGoneBeforeTheKnobsArePutBack) {
    FixtureTree tree;
    tree.file(kKnob, "1\n");
    add_sched_ext(tree);
    const SystemRoot system = tree.system();
    SwitchOptions options;
    // Would have the last word on the knob.
    options.scx = add_fake_scheduler(
        tree, "scx_fake",
        "enable fake; while :; do echo 99 > ../../../proc/sys/kernel/sched_a; done");
    options.sysctls = {{"kernel.sched_a", "10"}};
    SharedValue<std::atomic<bool>> applied;
    const pid_t holder = start_holder(options, system, applied);
    ASSERT_TRUE(eventually([&] { return system.read_trimmed(kKnob) == "99" && applied->load(); }));
    ::kill(holder, SIGKILL);
    ::waitpid(holder, nullptr, 0);
    EXPECT_TRUE(eventually([&] { return can_lock(system); }));
    EXPECT_EQ(system.read_trimmed(kKnob), "1");
}

TEST(KilledSwitches, WhoeverKillsTheCellLeavesItsGuardiansTimeToPutBack) {
    FixtureTree tree;
    tree.file(kKnob, "1\n");
    add_sched_ext(tree);
    const SystemRoot system = tree.system();
    SwitchOptions options;
    options.scx = add_fake_scheduler(tree, "scx_fake", "echo $$ > pid; enable fake; serve");
    options.sysctls = {{"kernel.sched_a", "10"}};
    SharedValue<std::atomic<bool>> applied;
    // As a run does: the cell is a command of a guardian, and its switches have guardians below.
    const pid_t run = ::fork();
    if (run == 0) {
        Guardian::Options cell;
        cell.commands.emplace_back().body = [&]() -> int {
            StopSource stop = StopSource::create().value();
            const auto switches = SchedulerSwitches::apply(options, stop, system);
            *applied = switches.ok();
            while (true) {
                ::pause();
            }
        };
        const auto outer = Guardian::start(std::move(cell));
        while (true) {
            ::pause();
        }
    }
    ASSERT_TRUE(eventually([&] { return applied->load(); }));
    EXPECT_EQ(system.read_trimmed(kKnob), "10");
    ::kill(run, SIGKILL);
    ::waitpid(run, nullptr, 0);
    EXPECT_TRUE(eventually([&] { return can_lock(system); }));
    EXPECT_EQ(system.read_trimmed(kKnob), "1");
    EXPECT_FALSE(is_alive(static_cast<pid_t>(*system.read_integer("/sys/kernel/sched_ext/pid"))));
}

/// Kills the process that made it, in front of its call number `at` that opens or writes a file;
/// forked children of it call on.
class KillAtCall {
  public:
    explicit KillAtCall(int at) {
        state() = {.real = calls_.real(), .victim = ::getpid(), .left = at};
        calls_->open = [](const char* path, int flags, mode_t mode) {
            count();
            return state().real.open(path, flags, mode);
        };
        calls_->write = [](int fd, const void* data, std::size_t size) {
            count();
            return state().real.write(fd, data, size);
        };
    }

  private:
    struct State {
        Syscalls real{};
        pid_t victim = 0;
        int left = 0;
    };
    static State& state() {
        static State one;
        return one;
    }
    static void count() {
        if (::getpid() == state().victim && --state().left == 0) {
            ::kill(::getpid(), SIGKILL);
        }
    }
    testing::ScopedSyscalls calls_;
};

TEST(KilledSwitches, ThereIsNoMomentInWhichAKillLeavesAChange) {
    FixtureTree tree;
    tree.file(kKnob, "1\n").file("/proc/sys/kernel/sched_b", "2\n");
    const SystemRoot system = tree.system();
    SwitchOptions options;
    options.sysctls = {{"kernel.sched_a", "10"}, {"kernel.sched_b", "20"}};
    int kills = 0;
    bool survived = false;
    constexpr int kMostCalls = 200;
    while (!survived && kills < kMostCalls) {
        const pid_t holder = ::fork();
        if (holder == 0) {
            const KillAtCall killer(kills + 1);
            StopSource stop = StopSource::create().value();
            auto switches = SchedulerSwitches::apply(options, stop, system);
            ::_exit(switches.ok() && switches.value()->restore().ok() ? 0 : 1);
        }
        int status = 0;
        ::waitpid(holder, &status, 0);
        ASSERT_TRUE(eventually([&] { return can_lock(system); })) << "killed at call " << kills + 1;
        EXPECT_EQ(system.read_trimmed(kKnob), "1") << "killed at call " << kills + 1;
        EXPECT_EQ(system.read_trimmed("/proc/sys/kernel/sched_b"), "2") << kills + 1;
        survived = WIFEXITED(status);
        EXPECT_TRUE(!survived || WEXITSTATUS(status) == 0);
        kills += survived ? 0 : 1;
    }
    EXPECT_TRUE(survived);
    EXPECT_GE(kills, 8) << "two reads, two writes and two readings back make a dozen calls";
}

TEST(KilledSwitches, AKnobOfThisMachineIsPutBack) {
    const SystemRoot host;
    const std::string path = "/proc/sys/kernel/sched_cfs_bandwidth_slice_us";
    const auto before = host.read_integer(path);
    if (!before) {
        GTEST_SKIP() << "this kernel has no " << path;
    }
    if (::access(path.c_str(), W_OK) != 0 || ::geteuid() != 0) {
        GTEST_SKIP() << path << " can't be written: root and a writable /proc/sys are needed";
    }
    SwitchOptions options;
    options.sysctls = {{"kernel.sched_cfs_bandwidth_slice_us", std::to_string(*before + 1)}};
    for (const auto& [name, end] : ways_to_end()) {
        SCOPED_TRACE(name);
        SharedValue<std::atomic<bool>> applied;
        const pid_t holder = start_holder(options, host, applied);
        ASSERT_TRUE(eventually([&] { return applied->load() || !is_alive(holder); }));
        EXPECT_EQ(host.read_integer(path), *before + 1);
        end(holder);
        ::waitpid(holder, nullptr, 0);
        EXPECT_TRUE(eventually([&] { return host.read_integer(path) == before; }));
    }
}

}  // namespace
}  // namespace bench
