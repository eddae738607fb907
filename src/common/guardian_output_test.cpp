#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "common/guardian.h"
#include "common/testing/processes.h"

namespace bench {
namespace {

using testing::eventually;
using testing::file_text;
using testing::TemporaryFolder;

SupervisedCommand shell(const std::string& text, const TemporaryFolder& folder) {
    SupervisedCommand command;
    command.argv = {"/bin/sh", "-c", text};
    command.output = folder.path() / "out";
    return command;
}

Guardian must_start(const SupervisedCommand& command) {
    Guardian::Options options;
    options.commands = {command};
    Result<Guardian> guardian = Guardian::start(std::move(options));
    EXPECT_TRUE(guardian.ok()) << guardian.error().message();
    return std::move(guardian).value();
}

void wait_for_end(const Guardian& guardian) {
    pollfd fd{guardian.event_fd(), POLLIN, 0};
    ASSERT_EQ(::poll(&fd, 1, 60'000), 1);
}

TEST(GuardianOutput, OfALongOutputTheEndIsKeptAndTheCommandIsNotHeldUp) {
    const TemporaryFolder folder;
    const SupervisedCommand command = shell("seq 1000000; echo the end >&2", folder);  // 6.9 MB
    Guardian guardian = must_start(command);
    wait_for_end(guardian);
    ASSERT_TRUE(eventually([&] { return guardian.poll_exits().size() == 1; }));
    EXPECT_TRUE(guardian.poll_exits()[0].clean());
    const std::string kept = file_text(command.output);
    EXPECT_LE(kept.size(), kOutputKept);
    EXPECT_GE(kept.size(), kOutputKept / 2);
    EXPECT_TRUE(kept.ends_with("\n999999\n1000000\nthe end\n"));
}

TEST(GuardianOutput, OutputOfWhatACommandLeftRunningIsTaken) {
    const TemporaryFolder folder;
    const SupervisedCommand command =
        shell("(sleep 0.1; seq 1000000; echo done; exec sleep 1000) &", folder);
    Guardian guardian = must_start(command);
    EXPECT_TRUE(eventually([&] { return file_text(command.output).ends_with("\ndone\n"); }));
    EXPECT_TRUE(guardian.stop(Duration::zero()).ok());
}

TEST(GuardianOutput, MoreCommandsThanDescriptorsDoNotKeepTheGuardianBusy) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit low = before;
    low.rlim_cur = 64;
    low.rlim_max = 64;
    const pid_t owner = ::fork();
    if (owner == 0) {
        // In a process of its own, for a lowered hard limit stays.
        ::setrlimit(RLIMIT_NOFILE, &low);
        SupervisedCommand command;
        command.body = [] { return ::pause(); };
        Guardian::Options options;
        options.commands.assign(100, command);
        const Result<Guardian> guardian = Guardian::start(std::move(options));
        if (!guardian.ok()) {
            ::_exit(2);
        }
        const std::string stat = "/proc/" + std::to_string(guardian->guardian_pid()) + "/stat";
        const bool sleeps =
            eventually([&] { return file_text(stat).find(") S ") != std::string::npos; });
        ::_exit(sleeps ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(owner, &status, 0), owner);
    EXPECT_EQ(status, 0);
}

TEST(GuardianOutput, CommandsKeepTheLimitOfDescriptorsThatWeHave) {
    const TemporaryFolder folder;
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit low = before;
    low.rlim_cur = 200;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
    const SupervisedCommand command = shell("ulimit -n", folder);
    Guardian guardian = must_start(command);
    wait_for_end(guardian);
    ::setrlimit(RLIMIT_NOFILE, &before);
    EXPECT_EQ(file_text(command.output), "200\n");
}

}  // namespace
}  // namespace bench
