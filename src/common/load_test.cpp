#include "common/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <set>

#include "common/affinity.h"
#include "common/descendants.h"
#include "common/guardian.h"
#include "common/testing/processes.h"

namespace bench {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::eventually;
using testing::file_text;
using testing::has_no_children;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using testing::SharedValue;
using testing::TemporaryFolder;

const SystemRoot kHost;

/// Loads put their files into a folder of the test's own, so that leftovers are seen.
class LoadTest : public ::testing::Test {
  protected:
    void SetUp() override { ::setenv("TMPDIR", folder_.path().c_str(), 1); }
    void TearDown() override { ::unsetenv("TMPDIR"); }

    static LoadOptions options(std::string_view text, std::int64_t copies = 1) {
        Result<LoadSpec> spec = parse_load(text);
        EXPECT_TRUE(spec.ok()) << spec.error().message();
        LoadOptions asked;
        asked.spec = std::move(spec).value();
        asked.copies = copies;
        return asked;
    }

    static std::unique_ptr<Load> must_start(const LoadOptions& asked) {
        Result<std::unique_ptr<Load>> load = prepare_load(asked, kHost);
        EXPECT_TRUE(load.ok()) << load.error().message();
        const Status started = (*load)->start();
        EXPECT_TRUE(started.ok()) << started.error().message();
        return std::move(load).value();
    }

    static LoadOutcome must_stop(Load& load, TimePoint started) {
        Result<LoadOutcome> outcome = load.stop(started);
        EXPECT_TRUE(outcome.ok());
        return std::move(outcome).value();
    }

    static void wait_for_end(const Load& load) {
        pollfd fd{load.event_fd(), POLLIN, 0};
        ASSERT_EQ(::poll(&fd, 1, 60'000), 1);
    }

    [[nodiscard]] bool nothing_left() const {
        return has_no_children() && std::filesystem::is_empty(folder_.path());
    }

    /// Runs a load to its end.
    static LoadOutcome run(const LoadOptions& asked) {
        const TimePoint started = MonotonicClock::now();
        const std::unique_ptr<Load> load = must_start(asked);
        wait_for_end(*load);
        return must_stop(*load, started);
    }

    TemporaryFolder folder_;
};

/// Descendants of the test that are no guardians.
std::vector<ProcessEntry> load_processes() {
    std::vector<ProcessEntry> all = list_descendants(::getpid());
    std::erase_if(all, [](const ProcessEntry& one) {
        return one.name == "bench-guardian" || one.state == 'Z';
    });
    return all;
}

/// CPU time of a process so far, in clock ticks.
long cpu_ticks(pid_t pid) {
    std::string stat = file_text("/proc/" + std::to_string(pid) + "/stat");
    std::istringstream fields(stat.substr(std::min(stat.rfind(')') + 2, stat.size())));
    std::string skipped;
    constexpr int kBeforeUtime = 11;
    for (int i = 0; i < kBeforeUtime; ++i) {
        fields >> skipped;
    }
    long user = 0;
    long system = 0;
    fields >> user >> system;
    return user + system;
}

TEST_F(LoadTest, NoneIsNothing) {
    const std::unique_ptr<Load> load = must_start(options("none"));
    EXPECT_EQ(load->event_fd(), -1);
    EXPECT_TRUE(nothing_left());
    EXPECT_THAT(must_stop(*load, MonotonicClock::now()).taints, IsEmpty());
}

TEST_F(LoadTest, SpinUsesAsManyProcessesAsThereAreCpus) {
    const std::unique_ptr<Load> load = must_start(options("spin"));
    EXPECT_EQ(load_processes().size(), get_affinity()->size());
    EXPECT_THAT(must_stop(*load, MonotonicClock::now()).taints, IsEmpty());
    EXPECT_TRUE(nothing_left());
}

TEST_F(LoadTest, SpinKeepsEachOfItsProcessesBusy) {
    const std::unique_ptr<Load> load = must_start(options("spin:2", 2));
    const std::vector<ProcessEntry> spinners = load_processes();
    ASSERT_EQ(spinners.size(), 4U);
    for (const ProcessEntry& one : spinners) {
        EXPECT_TRUE(eventually([&] { return cpu_ticks(one.pid) > 2; }));
    }
    std::set<pid_t> groups;
    for (const ProcessEntry& one : spinners) {
        groups.insert(::getpgid(one.pid));
        EXPECT_EQ(::getsid(one.pid), ::getsid(0));
    }
    EXPECT_EQ(groups.size(), 2U) << "one process group a copy";
    EXPECT_FALSE(groups.contains(::getpgid(0)));
    EXPECT_THAT(must_stop(*load, MonotonicClock::now()).taints, IsEmpty());
    EXPECT_TRUE(nothing_left());
}

TEST_F(LoadTest, ASessionOfItsOwnIsAnotherSession) {
    LoadOptions asked = options("spin:3");
    asked.own_session = true;
    const std::unique_ptr<Load> load = must_start(asked);
    std::set<pid_t> sessions;
    for (const ProcessEntry& one : load_processes()) {
        sessions.insert(::getsid(one.pid));
    }
    EXPECT_EQ(sessions.size(), 1U) << "one session for the load as a whole";
    EXPECT_FALSE(sessions.contains(::getsid(0)));
}

TEST_F(LoadTest, AKilledSpinnerIsAFailedLoad) {
    const std::unique_ptr<Load> load = must_start(options("spin:3"));
    ::kill(load_processes().at(1).pid, SIGKILL);
    wait_for_end(*load);
    const LoadOutcome outcome = must_stop(*load, MonotonicClock::now());
    ASSERT_EQ(outcome.taints.size(), 1U);
    EXPECT_THAT(outcome.taints[0], HasSubstr("killed by SIGKILL"));
    EXPECT_TRUE(outcome.first_failure.has_value());
}

TEST_F(LoadTest, PipePassesMessagesBetweenTwentyProcesses) {
    const std::unique_ptr<Load> load = must_start(options("pipe:2"));
    const std::vector<ProcessEntry> members = load_processes();
    EXPECT_EQ(members.size(), 40U);
    for (const ProcessEntry& one : members) {
        EXPECT_TRUE(eventually([&] {
            const std::string io = file_text("/proc/" + std::to_string(one.pid) + "/io");
            return io.find("syscr: 0\nsyscw: 0\n") == std::string::npos;
        })) << "passes nothing";
    }
    EXPECT_THAT(must_stop(*load, MonotonicClock::now()).taints, IsEmpty());
    EXPECT_TRUE(nothing_left());
}

TEST_F(LoadTest, CompileBuildsAgainAndAgain) {
    ::setenv("MAKEFLAGS", "-n", 1);
    ::setenv("CC", "false", 1);
    LoadOptions asked = options("compile:2");
    const std::unique_ptr<Load> load = must_start(asked);
    ::unsetenv("MAKEFLAGS");
    ::unsetenv("CC");
    EXPECT_TRUE(eventually([&] {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(
                 folder_.path(), std::filesystem::directory_options::skip_permission_denied)) {
            if (entry.path().extension() == ".o") {
                return true;
            }
        }
        return false;
    }));
    const LoadOutcome outcome = must_stop(*load, MonotonicClock::now());
    EXPECT_THAT(outcome.taints, IsEmpty()) << outcome.output_tail;
    EXPECT_TRUE(nothing_left());
}

TEST_F(LoadTest, ABuildThatFailsFailsTheLoad) {
    Result<std::unique_ptr<Load>> load = prepare_load(options("compile:1"), kHost);
    ASSERT_TRUE(load.ok()) << load.error().message();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
        if (entry.path().filename() == "main.c") {
            std::ofstream(entry.path()) << "#error broken on purpose\n";
        }
    }
    const TimePoint started = MonotonicClock::now();
    ASSERT_TRUE((*load)->start().ok());
    wait_for_end(**load);
    const LoadOutcome outcome = must_stop(**load, started);
    ASSERT_EQ(outcome.taints.size(), 1U);
    EXPECT_THAT(outcome.taints[0],
                MatchesRegex("load failed at t=[0-9]+\\.[0-9][0-9][0-9]s: exit status 2"));
    EXPECT_THAT(outcome.output_tail, HasSubstr("broken on purpose"));
    EXPECT_TRUE(nothing_left());
}

TEST_F(LoadTest, MissingToolsAreNamedWithTheCure) {
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", folder_.path().c_str(), 1);
    const Result<std::unique_ptr<Load>> load = prepare_load(options("compile"), kHost);
    ::setenv("PATH", path.c_str(), 1);
    ASSERT_FALSE(load.ok());
    EXPECT_THAT(load.error().message(),
                AllOf(HasSubstr("make"), HasSubstr("apt-get install make gcc")));
    EXPECT_TRUE(nothing_left());
}

TEST_F(LoadTest, AnEarlyEndIsATaint) {
    const LoadOutcome outcome = run(options("true"));
    EXPECT_THAT(
        outcome.taints,
        ElementsAre(MatchesRegex("load ended at t=[0-9]+\\.[0-9][0-9][0-9]s .exit status 0.")));
    EXPECT_FALSE(outcome.first_failure.has_value());
}

TEST_F(LoadTest, AFailureIsATaintWithItsOutput) {
    const LoadOutcome outcome = run(options("echo out; echo err >&2; exit 3"));
    ASSERT_EQ(outcome.taints.size(), 1U);
    EXPECT_THAT(outcome.taints[0],
                AllOf(HasSubstr("load failed at t="), HasSubstr("s: exit status 3")));
    EXPECT_EQ(outcome.output_tail, "out\nerr");
    ASSERT_TRUE(outcome.first_failure.has_value());
    EXPECT_EQ(WEXITSTATUS(*outcome.first_failure), 3);
    EXPECT_TRUE(nothing_left());
}

TEST_F(LoadTest, OnlyTheEndOfALongOutputIsKept) {
    const LoadOutcome outcome = run(options("seq 100000; exit 1"));
    EXPECT_LE(outcome.output_tail.size(), 4096U);
    EXPECT_GT(outcome.output_tail.size(), 4000U);
    EXPECT_TRUE(outcome.output_tail.ends_with("99999\n100000"));
}

TEST_F(LoadTest, ALoadThatPrintsForEverFillsNoDisk) {
    const std::string mark = (folder_.path() / "mark").string();
    const std::unique_ptr<Load> load =
        must_start(options("seq 3000000; touch '" + mark + "'; exec yes"));  // 23 MB, then more
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(mark); })) << "it is held up";
    std::uintmax_t bytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
        bytes += entry.is_regular_file() ? entry.file_size() : 0;
    }
    EXPECT_LE(bytes, kOutputKept);
    EXPECT_THAT(must_stop(*load, MonotonicClock::now()).taints, IsEmpty());
    std::filesystem::remove(mark);
    EXPECT_TRUE(nothing_left());
}

TEST_F(LoadTest, ACommandMayTidyUpWhenItIsStopped) {
    const TemporaryFolder target;
    const std::string ready = (target.path() / "ready").string();
    const std::string tidy = (target.path() / "tidy").string();
    const std::unique_ptr<Load> load = must_start(options(
        "trap 'touch " + tidy + "; exit' TERM; touch " + ready + "; while :; do sleep 0.01; done"));
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(ready); }));
    EXPECT_THAT(must_stop(*load, MonotonicClock::now()).taints, IsEmpty());
    EXPECT_TRUE(std::filesystem::exists(tidy));
}

TEST_F(LoadTest, ALoadThatIsStoppedHasNotFailed) {
    const std::unique_ptr<Load> load = must_start(options("sleep 1000 & sleep 1000"));
    EXPECT_THAT(must_stop(*load, MonotonicClock::now()).taints, IsEmpty());
    EXPECT_TRUE(nothing_left());
}

TEST_F(LoadTest, QuotesAndBlanksSurvive) {
    const TemporaryFolder target;
    ::setenv("D", target.path().c_str(), 1);
    const LoadOutcome outcome = run(options(R"(sh -c "echo \"a  b\" > \"$D/x y\"")"));
    ::unsetenv("D");
    EXPECT_FALSE(outcome.first_failure.has_value()) << outcome.output_tail;
    EXPECT_EQ(file_text(target.path() / "x y"), "a  b\n");
}

TEST_F(LoadTest, StandardInputIsNotRead) {
    const LoadOutcome outcome = run(options("read line && exit 9; exit 4"));
    ASSERT_TRUE(outcome.first_failure.has_value());
    EXPECT_EQ(WEXITSTATUS(*outcome.first_failure), 4);
}

TEST_F(LoadTest, TemporaryFilesGoWithTheLoad) {
    const LoadOutcome outcome =
        run(options("mktemp >/dev/null && mkdir -p \"$TMPDIR/a/b\" && chmod 0 \"$TMPDIR/a\""));
    EXPECT_FALSE(outcome.first_failure.has_value());
    EXPECT_TRUE(nothing_left());
}

TEST_F(LoadTest, ACommandThatIsNotThereIsAnErrorBeforeTheStart) {
    for (const auto& [text, code] :
         {std::pair("/no/such --option", ENOENT), std::pair("  ./no/such", ENOENT),
          std::pair("/etc/passwd", EACCES), std::pair("/tmp", EACCES)}) {
        const Result<std::unique_ptr<Load>> load = prepare_load(options(text), kHost);
        ASSERT_FALSE(load.ok()) << text;
        EXPECT_EQ(load.error().code, code) << text;
    }
    EXPECT_TRUE(nothing_left());
}

TEST_F(LoadTest, WhatTheShellCannotFindFailsTheLoad) {
    const LoadOutcome outcome = run(options("no-such-program-in-path; exit $?"));
    ASSERT_EQ(outcome.taints.size(), 1U);
    EXPECT_THAT(outcome.taints[0], HasSubstr("exit status 127"));
}

TEST_F(LoadTest, EachCopyIsJudged) {
    const std::string mark = (folder_.path() / "mark").string();
    const std::unique_ptr<Load> load =
        must_start(options("mkdir '" + mark + "' && exec sleep 1000; exit 6", 3));
    ASSERT_TRUE(eventually([&] { return load_processes().size() == 1; }));
    const LoadOutcome outcome = must_stop(*load, MonotonicClock::now());
    ASSERT_EQ(outcome.taints.size(), 2U);
    for (const std::string& taint : outcome.taints) {
        EXPECT_THAT(taint, MatchesRegex("load copy [1-3] of 3 failed at t=.*: exit status 6"));
    }
    std::filesystem::remove(mark);
    EXPECT_TRUE(nothing_left());
}

TEST_F(LoadTest, NothingIsLeftOfAKilledOwnersLoad) {
    for (const char* text :
         {"compile", "sleep 1000 & (setsid sleep 1000 &) ; wait", "spin:2", "pipe"}) {
        SharedValue<std::atomic<bool>> started;
        const pid_t owner = ::fork();
        if (owner == 0) {
            const std::unique_ptr<Load> load = must_start(options(text));
            *started = true;
            while (true) {
                ::pause();
            }
        }
        ASSERT_TRUE(eventually([&] { return started->load(); }));
        std::vector<ProcessEntry> all;
        ASSERT_TRUE(eventually([&] { return (all = list_descendants(owner)).size() > 2; }));
        ::kill(owner, SIGKILL);
        int status = 0;
        ::waitpid(owner, &status, 0);
        for (const ProcessEntry& one : all) {
            EXPECT_TRUE(eventually([&] { return !testing::is_alive(one.pid); })) << text;
        }
        EXPECT_TRUE(eventually([&] { return std::filesystem::is_empty(folder_.path()); })) << text;
    }
}

TEST(ParseLoad, KnowsTheNames) {
    EXPECT_EQ(parse_load("none")->kind, LoadKind::none);
    EXPECT_EQ(parse_load("spin")->kind, LoadKind::spin);
    EXPECT_FALSE(parse_load("spin")->amount.has_value());
    EXPECT_EQ(parse_load("spin:12")->amount, 12);
    EXPECT_EQ(parse_load("pipe:3")->kind, LoadKind::pipe);
    EXPECT_EQ(parse_load("compile:100000")->amount, 100'000);
    EXPECT_EQ(parse_load("video:a b:c.mp4")->argument, "a b:c.mp4");
    EXPECT_EQ(parse_load("video:x")->kind, LoadKind::video);
    EXPECT_EQ(parse_load("compile:4")->text, "compile:4");
}

TEST(ParseLoad, EverythingElseIsACommand) {
    for (const char* text : {"make -j4", "spin 4", "spinner", "/bin/true", " none", "a:b"}) {
        const Result<LoadSpec> spec = parse_load(text);
        ASSERT_TRUE(spec.ok()) << text;
        EXPECT_EQ(spec->kind, LoadKind::command) << text;
        EXPECT_EQ(spec->argument, text);
        EXPECT_EQ(spec->text, text);
    }
}

TEST(ParseLoad, RefusesWhatItCannotMean) {
    for (const char* text :
         {"", "  ", "spin:", "spin:0", "spin:-1", "spin:1.5", "spin:4x", "spin:100001", "pipe: 1",
          "none:1", "video", "video:", "compile:all"}) {
        EXPECT_FALSE(parse_load(text).ok()) << text;
    }
}

}  // namespace
}  // namespace bench
