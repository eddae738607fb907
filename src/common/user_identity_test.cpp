#include "common/user_identity.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

#include "common/guardian.h"
#include "common/testing/fixture_tree.h"
#include "common/testing/processes.h"
#include "common/testing/scoped_syscalls.h"

namespace bench {
namespace {

using ::testing::ElementsAre;
using testing::eventually;
using testing::file_text;
using testing::FixtureTree;
using ::testing::HasSubstr;
using testing::is_alive;
using ::testing::IsEmpty;
using testing::ScopedSyscalls;
using testing::SharedValue;
using testing::TemporaryFolder;

/// A machine with accounts, seen by root.
class Users : public ::testing::Test {
  protected:
    Users() {
        tree_
            .file("/etc/passwd",
                  "root:x:0:0:root:/root:/bin/bash\nvatsa:x:1001:1002:V,,,:/home/vatsa:/bin/sh\n"
                  "twin:x:1001:1001::/home/twin:/bin/sh\nbroken:x:abc:1:\n+::::::\n"
                  "last:x:60601:60601::/:/bin/sh\n")
            .file("/etc/group",
                  "root:x:0:\naudio:x:29:pulse,vatsa\nvideo:x:44:vatsa\nother:x:45:vatsanother\n"
                  "own:x:1002:vatsa\nnumber:x:60602:\n")
            .file("/proc/self/status", "Name:\tbench\nCapEff:\t000001ffffffffff\n")
            .file("/proc/self/uid_map", "         0          0 4294967295\n")
            .file("/proc/self/gid_map", "         0          0 4294967295\n");
    }
    [[nodiscard]] auto resolve(const std::vector<std::string>& names) const {
        return resolve_users(names, tree_.system());
    }

    FixtureTree tree_;
};

TEST_F(Users, AreAccountsWithTheirGroupsOrNumbers) {
    const auto found = resolve({"vatsa", "guest", "other"});
    ASSERT_TRUE(found.ok()) << found.error().message();
    EXPECT_EQ(found->note, "");
    EXPECT_THAT(found->users,
                ElementsAre(UserIdentity{"vatsa", 1001, 1002, {29, 44, 1002}, "/home/vatsa", true},
                            UserIdentity{"guest", 60600, 60600, {60600}, "", false},
                            // 60601 is an account's, 60602 a group's.
                            UserIdentity{"other", 60603, 60603, {60603}, "", false}));
}

TEST_F(Users, NumbersOfRunningProcessesAreNotTaken) {
    tree_.file("/proc/77/status", "Name:\tx\nUid:\t0\t60600\t0\t0\n");
    EXPECT_EQ(resolve({"guest"})->users.at(0).uid, 60603U);
    for (int i = 0; i < 256; ++i) {
        tree_.file("/proc/" + std::to_string(100 + i) + "/status",
                   "Uid:\t" + std::to_string(60600 + i) + "\t0\t0\t0\n");
    }
    const auto none = resolve({"guest"});
    ASSERT_FALSE(none.ok());
    EXPECT_THAT(none.error().message(), HasSubstr("60600..60855"));
}

TEST_F(Users, NeedAUidEach) {
    const auto twins = resolve({"vatsa", "twin"});
    ASSERT_FALSE(twins.ok());
    EXPECT_THAT(twins.error().message(), HasSubstr("both have uid 1001"));
}

TEST_F(Users, AnAccountThatCannotBeReadIsAnError) {
    const auto broken = resolve({"broken"});
    ASSERT_FALSE(broken.ok());
    EXPECT_THAT(broken.error().message(), HasSubstr("/etc/passwd"));
}

TEST_F(Users, WithoutFilesAllAreNumbers) {
    tree_.remove("/etc/passwd").remove("/etc/group");
    EXPECT_EQ(resolve({"vatsa"})->users.at(0).uid, 60600U);
}

TEST_F(Users, RunAsOneWhereTheyCannotBeHad) {
    const auto note_without = [&](std::string_view file, std::string_view text) {
        FixtureTree& tree = tree_;
        const std::string old = file_text(tree.root() / file.substr(1));
        tree.file(file, text);
        const auto found = resolve({"vatsa", "guest"});
        EXPECT_TRUE(found.ok());
        EXPECT_THAT(found->users, IsEmpty());
        tree.file(file, old);
        return found->note;
    };
    EXPECT_THAT(note_without("/proc/self/status", "CapEff:\t0000000000000000\n"),
                HasSubstr("all users run under one uid: CAP_SETUID"));
    EXPECT_THAT(note_without("/proc/self/status", "CapEff:\t0000000000000080\n"),
                HasSubstr("CAP_SETGID"));
    EXPECT_THAT(note_without("/proc/self/uid_map", "0 1000 1\n"), HasSubstr("user namespace"));
    EXPECT_THAT(note_without("/proc/self/gid_map", "0 1000 1\n"), HasSubstr("user namespace"));
    EXPECT_THAT(note_without("/proc/self/setgroups", "deny\n"), HasSubstr("denies setgroups"));
}

TEST(UserEnvironment, NamesUserAndHome) {
    EXPECT_THAT(user_environment({"a", 1, 1, {1}, "/h", true}),
                ElementsAre("HOME=/h", "USER=a", "LOGNAME=a"));
    EXPECT_THAT(user_environment({"a", 1, 1, {1}, "", false}),
                ElementsAre("HOME", "USER=a", "LOGNAME=a"));
}

const UserIdentity kSomebody{"somebody", 60610, 60611, {60611, 60612}, "/nowhere", false};

/// Becomes somebody in a child; what the Error says, empty when it worked.
std::string become_in_child() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const Status done = become_user(kSomebody);
        const std::string text = done ? "" : done.error().message();
        ::_exit(::write(ends[1], text.data(), text.size()) < 0 ? 1 : 0);
    }
    ::close(ends[1]);
    std::string text(4096, '\0');
    const ssize_t got = ::read(ends[0], text.data(), text.size());
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return text;
}

TEST(BecomeUser, EveryRefusalStopsIt) {
    ScopedSyscalls calls;
    calls->setgroups = [](std::size_t, const gid_t*) { return 0; };
    calls->setresgid = [](gid_t, gid_t, gid_t) { return 0; };
    calls->setresuid = [](uid_t, uid_t, uid_t) {
        errno = EAGAIN;
        return -1;
    };
    EXPECT_THAT(become_in_child(), HasSubstr("setresuid somebody (uid 60610)"));
    EXPECT_THAT(become_in_child(), HasSubstr("RLIMIT_NPROC"));
    calls->setresgid = [](gid_t, gid_t, gid_t) {
        errno = EINVAL;
        return -1;
    };
    EXPECT_THAT(become_in_child(), HasSubstr("setresgid somebody"));
    calls->setgroups = [](std::size_t, const gid_t*) {
        errno = EPERM;
        return -1;
    };
    EXPECT_THAT(become_in_child(), HasSubstr("setgroups somebody"));
}

TEST(BecomeUser, WhatTheKernelOnlyClaimsToHaveDoneStopsIt) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "needs root";
    }
    EXPECT_EQ(become_in_child(), "");
    // Each of the three once left undone.
    const std::vector<std::function<void(Syscalls&)>> lies{
        [](Syscalls& calls) { calls.setgroups = [](std::size_t, const gid_t*) { return 0; }; },
        [](Syscalls& calls) { calls.setresgid = [](gid_t, gid_t, gid_t) { return 0; }; },
        [](Syscalls& calls) { calls.setresuid = [](uid_t, uid_t, uid_t) { return 0; }; },
        [](Syscalls& calls) {
            calls.setresuid = [](uid_t, uid_t effective, uid_t) { return ::seteuid(effective); };
        }};
    for (const auto& lie : lies) {
        ScopedSyscalls calls;
        lie(*calls.operator->());
        EXPECT_THAT(become_in_child(), HasSubstr("verify user somebody"));
    }
}

/// Commands that run as somebody else, under a guardian.
class CommandOfUser : public ::testing::Test {
  protected:
    void SetUp() override {
        if (::geteuid() != 0) {
            GTEST_SKIP() << "needs root";
        }
        ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
    }
    [[nodiscard]] SupervisedCommand command(const std::string& text) const {
        SupervisedCommand command;
        command.argv = {"/bin/sh", "-c", text};
        command.user = kSomebody;
        command.output = folder_.path() / "output";
        return command;
    }
    static Result<Guardian> start(SupervisedCommand command) {
        Guardian::Options options;
        options.commands.push_back(std::move(command));
        return Guardian::start(std::move(options));
    }

    TemporaryFolder folder_;
};

TEST_F(CommandOfUser, HasItsIdsGroupsAndEnvironmentAndNothingOfRoot) {
    SupervisedCommand asks = command(
        "id -u; id -g; id -G; echo $HOME $USER $LOGNAME; grep -E '^(Uid|Gid|CapEff|CapPrm):' "
        "/proc/self/status | tr -s '\\t' ' '");
    asks.environment = {"LOGNAME=changed"};
    auto guardian = start(asks);
    ASSERT_TRUE(guardian.ok()) << guardian.error().message();
    ASSERT_TRUE(eventually([&] { return guardian->poll_exits().size() == 1; }));
    EXPECT_EQ(file_text(folder_.path() / "output"),
              "60610\n60611\n60611 60612\n/nowhere somebody changed\n"
              "Uid: 60610 60610 60610 60610\nGid: 60611 60611 60611 60611\n"
              "CapPrm: 0000000000000000\nCapEff: 0000000000000000\n");
}

TEST_F(CommandOfUser, DiesWithItsGuardian) {
    auto guardian = start(command("while :; do sleep 1; done"));
    ASSERT_TRUE(guardian.ok()) << guardian.error().message();
    const pid_t pid = guardian->pid(0);
    ::kill(guardian->guardian_pid(), SIGKILL);
    EXPECT_TRUE(eventually([&] { return !is_alive(pid); }));
}

TEST_F(CommandOfUser, ABodySeesItsOwnProcess) {
    SupervisedCommand looks = command("");
    looks.argv.clear();
    looks.body = [] { return ::open("/proc/self/environ", O_RDONLY) >= 0 ? 0 : 1; };
    auto guardian = start(looks);
    ASSERT_TRUE(guardian.ok()) << guardian.error().message();
    ASSERT_TRUE(eventually([&] { return guardian->poll_exits().size() == 1; }));
    EXPECT_TRUE(guardian->poll_exits()[0].clean());
}

TEST_F(CommandOfUser, TheProcessLimitIsNamed) {
    rlimit old{};
    ::getrlimit(RLIMIT_NPROC, &old);
    const rlimit none{0, old.rlim_max};
    ::setrlimit(RLIMIT_NPROC, &none);
    const auto guardian = start(command("true"));
    ::setrlimit(RLIMIT_NPROC, &old);
    ASSERT_FALSE(guardian.ok());
    EXPECT_THAT(guardian.error().message(), HasSubstr("somebody (uid 60610)"));
    EXPECT_THAT(guardian.error().message(), HasSubstr("RLIMIT_NPROC"));
}

TEST_F(CommandOfUser, ARefusedGroupIsNamedToTheOwner) {
    ScopedSyscalls calls;
    calls->setgroups = [](std::size_t, const gid_t*) {
        errno = EPERM;
        return -1;
    };
    const auto guardian = start(command("true"));
    ASSERT_FALSE(guardian.ok());
    EXPECT_THAT(guardian.error().message(), HasSubstr("setgroups somebody (uid 60610)"));
}

TEST_F(CommandOfUser, AFolderClosedToItIsAnError) {
    SupervisedCommand enters = command("true");
    enters.working_directory = folder_.path() / "closed";
    std::filesystem::create_directory(enters.working_directory);
    ASSERT_EQ(::chmod(enters.working_directory.c_str(), 0700), 0);
    const auto guardian = start(enters);
    ASSERT_FALSE(guardian.ok());
    EXPECT_EQ(guardian.error().code, EACCES);
}

}  // namespace
}  // namespace bench
