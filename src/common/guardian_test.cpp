#include "common/guardian.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <fstream>

#include "common/descendants.h"
#include "common/testing/processes.h"

namespace bench {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::file_text;
using testing::has_no_children;
using ::testing::HasSubstr;
using testing::is_alive;
using testing::SharedValue;
using testing::TemporaryFolder;

constexpr Duration kGrace = 30s;

[[noreturn]] void sleep_for_ever() {
    while (true) {
        ::pause();
    }
}

SupervisedCommand shell(const std::string& text) {
    SupervisedCommand command;
    command.argv = {"/bin/sh", "-c", text};
    return command;
}

SupervisedCommand body(std::function<void()> what) {
    SupervisedCommand command;
    command.body = [what = std::move(what)] {
        what();
        return 0;
    };
    return command;
}

Guardian must_start(Guardian::Options options) {
    Result<Guardian> guardian = Guardian::start(std::move(options));
    EXPECT_TRUE(guardian.ok()) << guardian.error().message();
    return std::move(guardian).value();
}

Guardian must_start(SupervisedCommand command) {
    Guardian::Options options;
    options.commands.push_back(std::move(command));
    return must_start(std::move(options));
}

void wait_for_event(const Guardian& guardian) {
    pollfd fd{guardian.event_fd(), POLLIN, 0};
    ASSERT_EQ(::poll(&fd, 1, 60'000), 1);
}

/// Forks twice, leaves session and group behind, as daemons do.
void become_daemon(std::atomic<pid_t>& pid) {
    if (::fork() == 0) {
        ::setsid();
        if (::fork() == 0) {
            pid = ::getpid();
            sleep_for_ever();
        }
        ::_exit(0);
    }
}

TEST(Guardian, TellsOfExitsInTheOrderTheyCame) {
    Guardian::Options options;
    options.commands = {shell("exec sleep 1000"), shell("exit 3"), shell("kill -USR1 $$")};
    Guardian guardian = must_start(std::move(options));
    wait_for_event(guardian);
    ASSERT_TRUE(eventually([&] { return guardian.poll_exits().size() == 2; }));
    for (const SupervisedExit& one : guardian.poll_exits()) {
        EXPECT_LE(one.at, MonotonicClock::now());
        EXPECT_EQ(one.text(), one.index == 1 ? "exit status 3" : "killed by SIGUSR1");
        EXPECT_FALSE(one.clean());
    }
    EXPECT_TRUE(is_alive(guardian.pid(0)));
    const pid_t sleeper = guardian.pid(0);
    EXPECT_TRUE(guardian.stop(kGrace).ok());
    EXPECT_FALSE(is_alive(sleeper));
    ASSERT_EQ(guardian.poll_exits().size(), 3U);
    EXPECT_EQ(guardian.poll_exits()[2].text(), "killed by SIGTERM");
    EXPECT_TRUE(has_no_children());
    EXPECT_TRUE(guardian.stop(kGrace).ok()) << "a second stop does nothing";
}

TEST(Guardian, ACommandThatCannotBeExecutedFailsTheStart) {
    SharedValue<std::atomic<pid_t>> first;
    for (const auto& [program, code] :
         {std::pair("/no/such/program", ENOENT), std::pair("/etc/passwd", EACCES),
          std::pair("no-such-program-in-path", ENOENT)}) {
        Guardian::Options options;
        options.commands.push_back(body([&] {
            *first = ::getpid();
            sleep_for_ever();
        }));
        options.commands.push_back(SupervisedCommand{});
        options.commands.back().argv = {program};
        const Result<Guardian> guardian = Guardian::start(std::move(options));
        ASSERT_FALSE(guardian.ok());
        EXPECT_EQ(guardian.error().code, code);
        EXPECT_THAT(guardian.error().message(), HasSubstr(std::string("execute ") + program));
        EXPECT_TRUE(has_no_children());
        EXPECT_FALSE(is_alive(*first));
    }
}

TEST(Guardian, OutputThatCannotBeOpenedFailsTheStart) {
    SupervisedCommand command = shell("true");
    command.output = "/no/such/folder/out";
    Guardian::Options options;
    options.commands = {command};
    const Result<Guardian> guardian = Guardian::start(std::move(options));
    ASSERT_FALSE(guardian.ok());
    EXPECT_THAT(guardian.error().message(), HasSubstr("open /no/such/folder/out"));
}

TEST(Guardian, GivesACommandWhatWasAsked) {
    const TemporaryFolder folder;
    ::setenv("BENCH_TEST_GONE", "1", 1);
    ::setenv("BENCH_TEST_CHANGED", "old", 1);
    const Fd kept(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const Fd hidden(::open("/dev/null", O_RDONLY));
    SupervisedCommand command = shell(
        "pwd; echo \"${BENCH_TEST_GONE-unset} $BENCH_TEST_CHANGED\"; cat; echo err >&2; "
        "ls /proc/self/fd/" +
        std::to_string(kept.get()) + "; test -e /proc/self/fd/" + std::to_string(hidden.get()) +
        " || echo hidden");
    command.environment = {"BENCH_TEST_GONE", "BENCH_TEST_CHANGED=a  b"};
    command.working_directory = folder.path();
    command.output = folder.path() / "out";
    command.keep_fds = {kept.get()};
    Guardian guardian = must_start(command);
    wait_for_event(guardian);
    EXPECT_EQ(file_text(folder.path() / "out"), folder.path().string() + "\nunset a  b\nerr\n" +
                                                    "/proc/self/fd/" + std::to_string(kept.get()) +
                                                    "\nhidden\n");
    ::unsetenv("BENCH_TEST_GONE");
    ::unsetenv("BENCH_TEST_CHANGED");
}

TEST(Guardian, SignalsOfACommandAreAtTheirDefaults) {
    ::signal(SIGPIPE, SIG_IGN);
    SupervisedCommand command =
        shell("grep -E '^Sig(Blk|Ign):[[:space:]]0*$' /proc/self/status | wc -l | grep -q 2");
    Guardian guardian = must_start(command);
    ::signal(SIGPIPE, SIG_DFL);
    wait_for_event(guardian);
    ASSERT_TRUE(eventually([&] { return guardian.poll_exits().size() == 1; }));
    EXPECT_EQ(guardian.poll_exits()[0].text(), "exit status 0");
}

TEST(Guardian, GroupAndSessionAreAsAsked) {
    Guardian::Options options;
    options.commands = {shell("exec sleep 1000"), shell("exec sleep 1000")};
    options.commands[1].own_session = true;
    Guardian guardian = must_start(std::move(options));
    EXPECT_EQ(::getsid(guardian.pid(0)), ::getsid(0));
    EXPECT_EQ(::getpgid(guardian.pid(0)), guardian.pid(0));
    EXPECT_EQ(::getsid(guardian.pid(1)), guardian.pid(1));
    EXPECT_EQ(::getsid(guardian.guardian_pid()), ::getsid(0));
    EXPECT_NE(::getpgid(guardian.guardian_pid()), ::getpgid(0));
}

TEST(Guardian, HoldsNoFilesOfTheCaller) {
    const Fd secret(::open("/dev/null", O_RDONLY));
    Guardian guardian = must_start(shell("exec sleep 1000"));
    for (const int fd : testing::open_fds(guardian.guardian_pid())) {
        const std::string target = std::filesystem::read_symlink(
            "/proc/" + std::to_string(guardian.guardian_pid()) + "/fd/" + std::to_string(fd));
        EXPECT_TRUE(target == "/dev/null" || target.starts_with("socket:") ||
                    target.starts_with("anon_inode:"))
            << target;
        EXPECT_NE(fd, secret.get());
    }
}

TEST(Guardian, StopGivesTimeToEndWell) {
    const TemporaryFolder folder;
    const std::string ready = (folder.path() / "ready").string();
    Guardian guardian =
        must_start(shell("trap 'exit 5' TERM; : > '" + ready + "'; while :; do sleep 0.01; done"));
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(ready); }));
    EXPECT_TRUE(guardian.stop(kGrace).ok());
    ASSERT_EQ(guardian.poll_exits().size(), 1U);
    EXPECT_EQ(guardian.poll_exits()[0].text(), "exit status 5");
}

TEST(Guardian, WhoIgnoresTheSignalIsKilled) {
    SharedValue<std::atomic<bool>> ready;
    Guardian guardian = must_start(body([&] {
        ::signal(SIGTERM, SIG_IGN);
        *ready = true;
        sleep_for_ever();
    }));
    ASSERT_TRUE(eventually([&] { return ready->load(); }));
    EXPECT_TRUE(guardian.stop(10ms).ok());
    ASSERT_EQ(guardian.poll_exits().size(), 1U);
    EXPECT_EQ(guardian.poll_exits()[0].text(), "killed by SIGKILL");
}

TEST(Guardian, StopCatchesDaemonsAndForkers) {
    SharedValue<std::atomic<pid_t>> daemon;
    SharedValue<std::atomic<int>> forks;
    Guardian guardian = must_start(body([&] {
        become_daemon(*daemon);
        while (true) {  // each one is the parent of the next and ends at once
            if (::fork() > 0) {
                ::_exit(0);
            }
            ++*forks;
            ::usleep(200);
        }
    }));
    ASSERT_TRUE(eventually([&] { return *daemon != 0 && *forks > 20; }));
    EXPECT_TRUE(guardian.stop(Duration::zero()).ok());
    EXPECT_FALSE(is_alive(*daemon));
    const int then = *forks;
    ::usleep(20'000);
    EXPECT_EQ(*forks, then);
}

TEST(Guardian, RemovesItsFolders) {
    const TemporaryFolder outer;
    Guardian::Options options;
    options.remove_afterwards = {outer.path() / "given"};
    options.scratch_prefix = outer.path() / "scratch-";
    std::filesystem::create_directories(outer.path() / "given/deep/er");
    Guardian guardian = must_start(std::move(options));
    EXPECT_THAT(guardian.scratch().string(), HasSubstr((outer.path() / "scratch-").string()));
    EXPECT_TRUE(std::filesystem::is_directory(guardian.scratch()));
    std::ofstream(guardian.scratch() / "file") << "x";
    EXPECT_TRUE(guardian.stop(Duration::zero()).ok());
    EXPECT_TRUE(std::filesystem::is_empty(outer.path()));
}

TEST(Guardian, AScratchFolderThatCannotBeMadeIsAnError) {
    Guardian::Options options;
    options.scratch_prefix = "/no/such/folder/x-";
    const Result<Guardian> guardian = Guardian::start(std::move(options));
    ASSERT_FALSE(guardian.ok());
    EXPECT_EQ(guardian.error().code, ENOENT);
    EXPECT_TRUE(has_no_children());
}

/// What an owner that will be killed leaves for the test to look at.
struct Seen {
    std::atomic<pid_t> guardian;
    std::atomic<pid_t> command;
    std::atomic<pid_t> daemon;
    std::atomic<pid_t> other_session;
    std::atomic<bool> ready;
};

Guardian start_seen(Seen& seen, const std::filesystem::path& scratch_prefix) {
    Guardian::Options options;
    options.commands.push_back(body([&seen] {
        seen.command = ::getpid();
        become_daemon(seen.daemon);
        sleep_for_ever();
    }));
    options.commands.push_back(body([&seen] {
        seen.other_session = ::getpid();
        sleep_for_ever();
    }));
    options.commands[1].own_session = true;
    options.scratch_prefix = scratch_prefix;
    Guardian guardian = must_start(std::move(options));
    seen.guardian = guardian.guardian_pid();
    std::ofstream(guardian.scratch() / "file") << "x";
    return guardian;
}

bool complete(const Seen& seen) {
    return seen.guardian != 0 && seen.command != 0 && seen.daemon != 0 && seen.other_session != 0 &&
           seen.ready;
}

bool all_gone(const Seen& seen) {
    return !is_alive(seen.guardian) && !is_alive(seen.command) && !is_alive(seen.daemon) &&
           !is_alive(seen.other_session);
}

TEST(Guardian, NothingIsLeftWhenTheOwnerIsKilled) {
    const TemporaryFolder outer;
    SharedValue<Seen> seen;
    const pid_t owner = ::fork();
    if (owner == 0) {
        const Guardian guardian = start_seen(*seen, outer.path() / "scratch-");
        seen->ready = true;
        sleep_for_ever();
    }
    ASSERT_TRUE(eventually([&] { return complete(*seen); }));
    EXPECT_FALSE(std::filesystem::is_empty(outer.path()));
    ::kill(owner, SIGKILL);
    int status = 0;
    ::waitpid(owner, &status, 0);
    EXPECT_TRUE(eventually([&] { return all_gone(*seen); }));
    EXPECT_TRUE(std::filesystem::is_empty(outer.path()));
}

TEST(Guardian, AnInnerGuardianCleansUpWhenTheOuterOwnerIsKilled) {
    const TemporaryFolder folder;
    SharedValue<Seen> seen;
    SharedValue<std::atomic<pid_t>> outer_guardian;
    const pid_t owner = ::fork();
    if (owner == 0) {
        const Guardian outer = must_start(body([&] {
            const Guardian inner = start_seen(*seen, folder.path() / "scratch-");
            seen->ready = true;
            sleep_for_ever();
        }));
        *outer_guardian = outer.guardian_pid();
        sleep_for_ever();
    }
    ASSERT_TRUE(eventually([&] { return complete(*seen) && *outer_guardian != 0; }));
    ::kill(owner, SIGKILL);
    int status = 0;
    ::waitpid(owner, &status, 0);
    EXPECT_TRUE(eventually([&] { return all_gone(*seen) && !is_alive(*outer_guardian); }));
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Guardian, AGuardianOfFoldersWaitsForTheGuardianOfProcesses) {
    const TemporaryFolder folder;
    SharedValue<std::atomic<pid_t>> command;
    const pid_t owner = ::fork();
    if (owner == 0) {
        Guardian::Options scratch;
        scratch.scratch_prefix = folder.path() / "scratch-";
        const Guardian files = must_start(std::move(scratch));
        Guardian::Options load;
        load.outlived_by = &files;
        load.commands.push_back(body([&] {
            *command = ::getpid();
            while (true) {  // would bring the folder back
                std::error_code ignored;
                std::filesystem::create_directories(files.scratch() / "a/b", ignored);
            }
        }));
        const Guardian processes = must_start(std::move(load));
        sleep_for_ever();
    }
    ASSERT_TRUE(eventually([&] { return *command != 0; }));
    ::kill(owner, SIGKILL);
    int status = 0;
    ::waitpid(owner, &status, 0);
    EXPECT_TRUE(eventually([&] { return std::filesystem::is_empty(folder.path()); }));
    EXPECT_FALSE(is_alive(*command));
    ::usleep(20'000);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Guardian, AKilledGuardianIsToldAndItsWorkIsDone) {
    const TemporaryFolder folder;
    Guardian::Options options;
    options.commands = {shell("exec sleep 1000")};
    options.scratch_prefix = folder.path() / "scratch-";
    Guardian guardian = must_start(std::move(options));
    const pid_t command = guardian.pid(0);
    ::kill(guardian.guardian_pid(), SIGKILL);
    wait_for_event(guardian);
    const Status stopped = guardian.stop(kGrace);
    ASSERT_FALSE(stopped.ok());
    EXPECT_THAT(stopped.error().message(), HasSubstr("killed by SIGKILL"));
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    EXPECT_TRUE(eventually([&] { return !is_alive(command); }));
    EXPECT_TRUE(has_no_children());
}

TEST(Guardian, SignalsToTheGuardianAreIgnored) {
    Guardian guardian = must_start(shell("exec sleep 1000"));
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP}) {
        ::kill(guardian.guardian_pid(), signal);
    }
    ::usleep(10'000);
    EXPECT_TRUE(is_alive(guardian.guardian_pid()));
    EXPECT_TRUE(guardian.stop(kGrace).ok());
}

TEST(Guardian, ASiblingInTheCallersGroupLives) {
    const pid_t sibling = ::fork();
    if (sibling == 0) {
        sleep_for_ever();
    }
    { const Guardian guardian = must_start(shell("exec sleep 1000")); }
    int status = 0;
    EXPECT_EQ(::waitpid(sibling, &status, WNOHANG), 0);
    ::kill(sibling, SIGKILL);
    ::waitpid(sibling, &status, 0);
}

}  // namespace
}  // namespace bench
