// Real cgroups of this machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <ctime>

#include "common/affinity.h"
#include "common/cgroup_branch.h"
#include "common/cgroup_leftovers.h"
#include "common/cgroup_location.h"
#include "common/testing/processes.h"
#include "common/user_cgroups.h"

namespace bench {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using testing::eventually;
using testing::file_text;
using ::testing::HasSubstr;
using testing::is_alive;
using testing::SharedValue;
using Grouping = UserCgroups::Grouping;

const UserCgroups::Options kTwo{.grouping = Grouping::weighted, .users = {{"a", 100}, {"b", 300}}};

/// Groups of process `pid`, in all hierarchies.
std::vector<std::string> groups_of(pid_t pid) {
    const SystemRoot system;
    std::vector<std::string> found;
    for (const CgroupHierarchy& hierarchy : cgroup_hierarchies(system)) {
        for (const std::string& folder : cgroup_ancestry(hierarchy)) {
            for (const std::string& name : system.list(folder)) {
                const auto owner = CgroupOwner::parse(name);
                if (owner && owner->pid == pid) {
                    found.push_back(folder + "/" + name);
                }
            }
        }
    }
    return found;
}

class HostCgroups : public ::testing::Test {
  protected:
    void SetUp() override {
        const auto place = find_branches({"cpu"}, SystemRoot());
        if (!place) {
            GTEST_SKIP() << place.error().message();
        }
    }
    [[nodiscard]] static auto create(const UserCgroups::Options& options) {
        return UserCgroups::create(options, SystemRoot());
    }
    static SupervisedCommand member(const UserCgroups& groups, std::size_t index,
                                    std::function<void()> what) {
        SupervisedCommand command;
        command.body = [what = std::move(what)] {
            what();
            return 0;
        };
        command.join_cgroups = groups.join_files(index);
        return command;
    }
    static Result<Guardian> run(const UserCgroups& groups,
                                std::vector<SupervisedCommand> commands) {
        Guardian::Options options;
        options.commands = std::move(commands);
        options.outlived_by = &groups.keeper();
        return Guardian::start(std::move(options));
    }
};

[[noreturn]] void pause_for_ever() {
    while (true) {
        ::pause();
    }
}

void burn(Duration portion) {
    timespec time{};
    do {
        ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    } while (std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec) < portion);
}

TEST_F(HostCgroups, HoldTheirMembersAccountForThemAndGo) {
    auto groups = create(kTwo);
    ASSERT_TRUE(groups.ok()) << groups.error().message();
    EXPECT_FALSE(groups_of(::getpid()).empty());
    SharedValue<std::atomic<int>> done;
    auto guardian = run(**groups, {member(**groups, 1, [&] {
        if (::fork() == 0) {
            burn(100ms);
            ++*done;
            pause_for_ever();
        }
        burn(100ms);
        ++*done;
        pause_for_ever();
    })});
    ASSERT_TRUE(guardian.ok()) << guardian.error().message();
    ASSERT_TRUE(eventually([&] { return *done == 2; }));
    const std::string own = file_text("/proc/" + std::to_string(guardian->pid(0)) + "/cgroup");
    EXPECT_THAT(own, HasSubstr("/1-b"));
    if ((*groups)->has_accounting()) {
        // The account of the processes against that of the group.
        const Duration tree = guardian->usage()->cpu_time;
        const Duration group = (*groups)->cpu_time(1).value();
        EXPECT_LT(std::abs((tree - group).count()), tree.count() / 8);
        EXPECT_LT((*groups)->cpu_time(0).value(), group / 10);
    }
    EXPECT_TRUE((*groups)->kill_all(1).ok());
    EXPECT_TRUE(eventually([&] { return guardian->usage()->running == 0; }));
    EXPECT_TRUE(guardian->stop(Duration::zero()).ok());
    EXPECT_TRUE((*groups)->remove().ok());
    EXPECT_TRUE(groups_of(::getpid()).empty());
}

TEST_F(HostCgroups, WeightsDivideACpuThatAllWant) {
    auto groups = create(kTwo);
    ASSERT_TRUE(groups.ok()) << groups.error().message();
    if (!(*groups)->has_accounting()) {
        GTEST_SKIP() << "no accounting by cgroup here";
    }
    const CpuSet one({get_affinity().value().cpus().back()});
    SharedValue<std::atomic<int>> running;
    const auto spin = [&] {
        static_cast<void>(set_affinity(one));
        ++*running;
        while (true) {
        }
    };
    // Three against one, the other way round than the weights.
    auto guardian = run(**groups, {member(**groups, 0, spin), member(**groups, 0, spin),
                                   member(**groups, 0, spin), member(**groups, 1, spin)});
    ASSERT_TRUE(guardian.ok()) << guardian.error().message();
    ASSERT_TRUE(eventually([&] { return *running == 4; }));
    const auto used = [&](std::size_t user) { return (*groups)->cpu_time(user).value(); };
    const Duration a = used(0);
    const Duration b = used(1);
    ASSERT_TRUE(eventually([&] { return used(0) + used(1) - a - b > 500ms; }));
    const double ratio =
        static_cast<double>((used(1) - b).count()) / static_cast<double>((used(0) - a).count());
    EXPECT_GT(ratio, 2.0);
    EXPECT_LT(ratio, 4.5);
}

/// A run in a process of its own, with a member that got away from its parent.
struct RunPids {
    std::atomic<pid_t> guardian{0};
    std::atomic<pid_t> keeper{0};
    std::atomic<pid_t> stray{0};
};

pid_t start_run(RunPids& run) {
    const pid_t owner = ::fork();
    if (owner != 0) {
        return owner;
    }
    auto groups = UserCgroups::create(kTwo, SystemRoot());
    if (!groups) {
        ::_exit(1);
    }
    Guardian::Options options;
    options.outlived_by = &(*groups)->keeper();
    SupervisedCommand& command = options.commands.emplace_back();
    command.join_cgroups = (*groups)->join_files(0);
    command.body = [&] {
        if (::fork() == 0) {
            ::setsid();
            run.stray = ::getpid();
            pause_for_ever();
        }
        pause_for_ever();
        return 0;
    };
    auto guardian = Guardian::start(std::move(options));
    if (!guardian) {
        ::_exit(1);
    }
    run.keeper = (*groups)->keeper().guardian_pid();
    run.guardian = guardian->guardian_pid();
    pause_for_ever();
}

TEST_F(HostCgroups, GoWhenAllButTheKeeperIsKilled) {
    SharedValue<RunPids> run;
    const pid_t owner = start_run(*run);
    ASSERT_TRUE(eventually([&] { return run->guardian != 0 && run->stray != 0; }));
    EXPECT_FALSE(groups_of(owner).empty());
    ::kill(run->guardian, SIGKILL);
    ::kill(owner, SIGKILL);
    ::waitpid(owner, nullptr, 0);
    EXPECT_TRUE(eventually([&] { return groups_of(owner).empty(); }));
    EXPECT_TRUE(eventually([&] { return !is_alive(run->stray); }));
}

TEST_F(HostCgroups, LeftoversGoAtTheNextStart) {
    SharedValue<RunPids> run;
    const pid_t owner = start_run(*run);
    ASSERT_TRUE(eventually([&] { return run->guardian != 0 && run->stray != 0; }));
    {
        auto beside = create(kTwo);
        ASSERT_TRUE(beside.ok()) << beside.error().message();
        EXPECT_FALSE(groups_of(owner).empty()) << "a living run's stay";
    }
    for (const pid_t pid : {run->keeper.load(), run->guardian.load(), owner}) {
        ::kill(pid, SIGKILL);
    }
    ::waitpid(owner, nullptr, 0);
    ASSERT_FALSE(groups_of(owner).empty()) << "nobody was left to remove them";
    auto next = create(kTwo);
    ASSERT_TRUE(next.ok()) << next.error().message();
    EXPECT_TRUE(groups_of(owner).empty());
    EXPECT_TRUE(eventually([&] { return !is_alive(run->stray); }));
    EXPECT_THAT((*next)->notes(), Contains(HasSubstr("was left by a run that is gone: removed")));
}

TEST_F(HostCgroups, ExclusiveCpusHoldTheMembersAndRefuseASecondTaker) {
    const auto online = online_cpus(SystemRoot());
    ASSERT_TRUE(online.has_value());
    UserCgroups::Options options{.grouping = Grouping::none, .users = {{"a"}, {"b"}}};
    options.exclusive_cpus = CpuSet({online->cpus().back()});
    if (const auto place = find_branches({"cpuset"}, SystemRoot()); !place) {
        GTEST_SKIP() << place.error().message();
    }
    auto groups = create(options);
    if (!groups && groups.error().message().find("beside it") != std::string::npos) {
        GTEST_SKIP() << "somebody else has the CPU: " << groups.error().message();
    }
    ASSERT_TRUE(groups.ok()) << groups.error().message();
    SupervisedCommand looks = member(**groups, 0, [] {});
    looks.body = [&] { return get_affinity().value() == *options.exclusive_cpus ? 0 : 1; };
    auto guardian = run(**groups, {looks});
    ASSERT_TRUE(guardian.ok()) << guardian.error().message();
    ASSERT_TRUE(eventually([&] { return guardian->poll_exits().size() == 1; }));
    EXPECT_TRUE(guardian->poll_exits()[0].clean());
    const pid_t second = ::fork();
    if (second == 0) {
        const auto taken = UserCgroups::create(options, SystemRoot());
        ::_exit(taken.ok() ? 1 : 0);
    }
    int status = 0;
    ::waitpid(second, &status, 0);
    EXPECT_EQ(status, 0) << "two had the CPU to themselves";
    EXPECT_TRUE(groups_of(second).empty());
    EXPECT_TRUE(guardian->stop(Duration::zero()).ok());
    EXPECT_TRUE((*groups)->remove().ok());
    EXPECT_TRUE(groups_of(::getpid()).empty());
}

TEST_F(HostCgroups, AGroupThatCannotBeJoinedFailsTheStart) {
    Guardian::Options options;
    SupervisedCommand& command = options.commands.emplace_back();
    command.argv = {"/bin/true"};
    command.join_cgroups = {"/no/such/cgroup.procs"};
    const auto guardian = Guardian::start(std::move(options));
    ASSERT_FALSE(guardian.ok());
    EXPECT_EQ(guardian.error().code, ENOENT);
    EXPECT_THAT(guardian.error().message(), HasSubstr("join cgroup /no/such/cgroup.procs"));
}

}  // namespace
}  // namespace bench
