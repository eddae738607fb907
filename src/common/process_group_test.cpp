#include "common/process_group.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <new>
#include <set>

#include "common/testing/processes.h"
#include "common/testing/scoped_syscalls.h"

namespace bench {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::ScopedSyscalls;

const SystemRoot kHost;
constexpr Duration kGenerous = 60s;

StopSource make_stop() {
    Result<StopSource> stop = StopSource::create();
    EXPECT_TRUE(stop.ok());
    return std::move(stop).value();
}

WorkerGroup::Options workers(std::uint32_t count, std::function<int(std::uint32_t)> body) {
    WorkerGroup::Options options;
    options.count = count;
    options.noun = "client";
    options.body = std::move(body);
    return options;
}

int sleep_for_ever(std::uint32_t) {
    while (true) {
        ::pause();
    }
}

class BothKinds : public ::testing::TestWithParam<WorkerKind> {};

TEST_P(BothKinds, StartTogetherAndGiveBackWhatTheyDid) {
    StopSource stop = make_stop();
    const std::uint64_t own_slack = timer_slack_ns();
    testing::SharedValue<std::array<std::atomic<int>, 8>> ran;
    WorkerGroup::Options options = workers(8, [&](std::uint32_t index) {
        (*ran)[index] = 1;
        return 0;
    });
    options.kind = GetParam();
    Result<WorkerGroup> group = WorkerGroup::start(std::move(options), stop, kHost);
    ASSERT_TRUE(group.ok()) << group.error().message();
    EXPECT_EQ(group->count(), 8U);
    EXPECT_FALSE(group->find_death());
    for (const auto& one : *ran) {
        EXPECT_EQ(one, 0) << "ran before the release";
    }
    group->release();
    const Status finished = group->finish(kGenerous);
    ASSERT_TRUE(finished.ok()) << finished.error().message();
    std::set<pid_t> ids;
    for (std::uint32_t index = 0; index < 8; ++index) {
        EXPECT_EQ((*ran)[index], 1);
        ids.insert(group->pid(index));
        EXPECT_TRUE(group->accounting(index).cpu_time_ns.value_or(0) > 0);
        EXPECT_EQ(group->readback(index).timer_slack_ns, 1U);
        EXPECT_FALSE(group->readback(index).cpus_allowed.empty());
        EXPECT_EQ(group->readback(index).sched, get_sched_attributes().value());
    }
    EXPECT_EQ(ids.size(), 8U);
    EXPECT_EQ(timer_slack_ns(), own_slack) << "the parent's own must stay";
}

TEST_P(BothKinds, AccountsForTheBodyAlone) {
    StopSource stop = make_stop();
    constexpr int kSleeps = 20;
    WorkerGroup::Options options = workers(1, [](std::uint32_t) {
        for (int i = 0; i < kSleeps; ++i) {
            ::usleep(1000);
        }
        timespec cpu{};
        do {
            ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
        } while (cpu.tv_sec == 0 && cpu.tv_nsec < 50'000'000);
        return 0;
    });
    options.kind = GetParam();
    options.prepare = [](std::uint32_t) -> Status {
        timespec cpu{};
        do {  // must not be counted
            ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
        } while (cpu.tv_sec == 0 && cpu.tv_nsec < 40'000'000);
        return {};
    };
    Result<WorkerGroup> group = WorkerGroup::start(std::move(options), stop, kHost);
    ASSERT_TRUE(group.ok()) << group.error().message();
    group->release();
    ASSERT_TRUE(group->finish(kGenerous).ok());
    const WorkerAccounting& seen = group->accounting(0);
    EXPECT_GE(seen.voluntary_switches, static_cast<std::uint64_t>(kSleeps));
    EXPECT_LE(seen.cpu_time_ns.value(), 40'000'000U);
    EXPECT_GT(seen.cpu_time_ns.value(), 1'000'000U);
    if (kHost.exists("/proc/thread-self/schedstat")) {
        EXPECT_TRUE(seen.run_delay_ns.has_value());
    }
}

TEST_P(BothKinds, RunDelayIsAbsentWhereTheKernelDoesNotTell) {
    StopSource stop = make_stop();
    const testing::TemporaryFolder empty;
    WorkerGroup::Options options = workers(1, [](std::uint32_t) { return 0; });
    options.kind = GetParam();
    Result<WorkerGroup> group =
        WorkerGroup::start(std::move(options), stop, SystemRoot(empty.path()));
    ASSERT_TRUE(group.ok());
    group->release();
    ASSERT_TRUE(group->finish(kGenerous).ok());
    EXPECT_FALSE(group->accounting(0).run_delay_ns.has_value());
    EXPECT_TRUE(group->accounting(0).cpu_time_ns.has_value());
}

TEST_P(BothKinds, AFailingPrepareFailsTheStart) {
    StopSource stop = make_stop();
    WorkerGroup::Options options = workers(6, [](std::uint32_t) { return 0; });
    options.kind = GetParam();
    options.prepare = [](std::uint32_t index) -> Status {
        if (index == 4) {
            return Error{EPERM, "sched_setattr", "fifo:50", "RLIMIT_RTPRIO is 0"};
        }
        return {};
    };
    const Result<WorkerGroup> group = WorkerGroup::start(std::move(options), stop, kHost);
    ASSERT_FALSE(group.ok());
    EXPECT_EQ(group.error().message(),
              "sched_setattr fifo:50 for client 4: Operation not permitted (RLIMIT_RTPRIO is 0)");
    EXPECT_TRUE(testing::has_no_children());
}

TEST_P(BothKinds, SettingsAreAppliedInEachWorkerAndNotInTheParent) {
    const auto before = read_back_self().value();
    StopSource stop = make_stop();
    WorkerGroup::Options options = workers(3, [](std::uint32_t) { return 0; });
    options.kind = GetParam();
    options.settings.policy = parse_policy("batch").value();
    options.settings.nice = 5;
    Result<WorkerGroup> group = WorkerGroup::start(std::move(options), stop, kHost);
    ASSERT_TRUE(group.ok()) << group.error().message();
    for (std::uint32_t index = 0; index < group->count(); ++index) {
        EXPECT_EQ(group->readback(index).sched.policy_text(), "batch");
        EXPECT_EQ(group->readback(index).sched.nice, 5);
    }
    group->release();
    ASSERT_TRUE(group->finish(kGenerous).ok());
    EXPECT_EQ(read_back_self().value(), before);
}

TEST_P(BothKinds, ARefusedSettingFailsTheStartWithItsCause) {
    testing::ScopedSyscalls calls;
    calls->sched_setattr = [](pid_t, const void*, unsigned) -> long {
        errno = EOPNOTSUPP;
        return -1;
    };
    StopSource stop = make_stop();
    WorkerGroup::Options options = workers(2, [](std::uint32_t) { return 0; });
    options.kind = GetParam();
    options.settings.uclamp = UclampRequest{100, 200};
    const Result<WorkerGroup> group = WorkerGroup::start(std::move(options), stop, kHost);
    ASSERT_FALSE(group.ok());
    EXPECT_TRUE(group.error().not_started);
    EXPECT_NE(group.error().message().find("CONFIG_UCLAMP_TASK"), std::string::npos)
        << group.error().message();
    EXPECT_TRUE(testing::has_no_children());
}

TEST_P(BothKinds, AWorkerThatEndsBadlyFailsTheFinish) {
    StopSource stop = make_stop();
    WorkerGroup::Options options =
        workers(3, [](std::uint32_t index) { return index == 1 ? 7 : 0; });
    options.kind = GetParam();
    Result<WorkerGroup> group = WorkerGroup::start(std::move(options), stop, kHost);
    ASSERT_TRUE(group.ok());
    group->release();
    const Status finished = group->finish(kGenerous);
    ASSERT_FALSE(finished.ok());
    EXPECT_THAT(finished.error().message(),
                AllOf(HasSubstr("client 1"), HasSubstr("exited with status 7")));
}

TEST_P(BothKinds, NeverReleasedWorkersJustEnd) {
    StopSource stop = make_stop();
    WorkerGroup::Options options = workers(3, sleep_for_ever);
    options.kind = GetParam();
    { ASSERT_TRUE(WorkerGroup::start(std::move(options), stop, kHost).ok()); }
    EXPECT_TRUE(testing::has_no_children());
}

TEST_P(BothKinds, ASignalEndsTheStart) {
    StopSource stop = make_stop();
    ::kill(::getpid(), SIGTERM);
    WorkerGroup::Options options = workers(3, [](std::uint32_t) { return 0; });
    options.kind = GetParam();
    const Result<WorkerGroup> group = WorkerGroup::start(std::move(options), stop, kHost);
    ASSERT_FALSE(group.ok());
    EXPECT_EQ(group.error().code, EINTR);
    EXPECT_EQ(stop.signal_number(), SIGTERM);
}

INSTANTIATE_TEST_SUITE_P(Kinds, BothKinds,
                         ::testing::Values(WorkerKind::process, WorkerKind::thread),
                         [](const auto& param) {
                             return param.param == WorkerKind::process ? "Process" : "Thread";
                         });

TEST(WorkerGroup, AKilledWorkerIsNamed) {
    StopSource stop = make_stop();
    Result<WorkerGroup> group = WorkerGroup::start(workers(4,
                                                           [](std::uint32_t index) {
                                                               if (index == 2) {
                                                                   ::signal(SIGSEGV, SIG_DFL);
                                                                   ::raise(SIGSEGV);
                                                               }
                                                               return sleep_for_ever(index);
                                                           }),
                                                   stop, kHost);
    ASSERT_TRUE(group.ok());
    group->release();
    std::optional<WorkerDeath> death;
    ASSERT_TRUE(testing::eventually([&] { return (death = group->find_death()).has_value(); }));
    EXPECT_EQ(death->index, 2U);
    EXPECT_EQ(death->signal, SIGSEGV);
    const std::string expected =
        "client 2 (pid " + std::to_string(group->pid(2)) + ") was killed by SIGSEGV";
    EXPECT_EQ(death->message("client"), expected);
    const Status finished = group->finish(1ms);
    ASSERT_FALSE(finished.ok());
    EXPECT_THAT(finished.error().message(), HasSubstr(expected));
    EXPECT_TRUE(testing::has_no_children());
}

TEST(WorkerGroup, ADeathBeforeTheStartIsNamed) {
    StopSource stop = make_stop();
    WorkerGroup::Options options = workers(3, [](std::uint32_t) { return 0; });
    options.prepare = [](std::uint32_t index) -> Status {
        if (index == 1) {
            ::raise(SIGKILL);
        }
        return {};
    };
    const Result<WorkerGroup> group = WorkerGroup::start(std::move(options), stop, kHost);
    ASSERT_FALSE(group.ok());
    EXPECT_THAT(group.error().message(), AllOf(HasSubstr("client 1"), HasSubstr("SIGKILL")));
    EXPECT_TRUE(testing::has_no_children());
}

TEST(WorkerGroup, StragglersAreKilledAtTheTimeout) {
    StopSource stop = make_stop();
    Result<WorkerGroup> group = WorkerGroup::start(workers(3, sleep_for_ever), stop, kHost);
    ASSERT_TRUE(group.ok());
    group->release();
    const Status finished = group->finish(20ms);
    ASSERT_FALSE(finished.ok());
    EXPECT_EQ(finished.error().code, ETIMEDOUT);
    EXPECT_THAT(finished.error().message(), AllOf(HasSubstr("client 0"), HasSubstr("2 more")));
    EXPECT_TRUE(testing::has_no_children());
}

TEST(WorkerGroup, LivesInAGroupOfItsOwnInOurSession) {
    StopSource stop = make_stop();
    Result<WorkerGroup> group = WorkerGroup::start(workers(2, sleep_for_ever), stop, kHost);
    ASSERT_TRUE(group.ok());
    EXPECT_EQ(::getpgid(group->pid(1)), group->pid(0));
    EXPECT_NE(::getpgid(group->pid(0)), ::getpgid(0));
    EXPECT_EQ(::getsid(group->pid(1)), ::getsid(0));
}

TEST(WorkerGroup, ASiblingInTheCallersGroupLives) {
    const pid_t sibling = ::fork();
    if (sibling == 0) {
        sleep_for_ever(0);
    }
    StopSource stop = make_stop();
    { ASSERT_TRUE(WorkerGroup::start(workers(2, sleep_for_ever), stop, kHost).ok()); }
    int status = 0;
    EXPECT_EQ(::waitpid(sibling, &status, WNOHANG), 0);
    ::kill(sibling, SIGKILL);
    ::waitpid(sibling, &status, 0);
}

TEST(WorkerGroup, SignalsAreAsAWorkerNeedsThem) {
    StopSource stop = make_stop();
    Result<WorkerGroup> group =
        WorkerGroup::start(workers(1,
                                   [](std::uint32_t) {
                                       sigset_t blocked;
                                       ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
                                       struct sigaction pipe = {};
                                       ::sigaction(SIGPIPE, nullptr, &pipe);
                                       const bool free = sigismember(&blocked, SIGINT) == 0 &&
                                                         sigismember(&blocked, SIGTERM) == 0 &&
                                                         sigismember(&blocked, SIGHUP) == 0;
                                       return (free ? 0 : 1) + (pipe.sa_handler == SIG_IGN ? 0 : 2);
                                   }),
                           stop, kHost);
    ASSERT_TRUE(group.ok());
    group->release();
    const Status finished = group->finish(kGenerous);
    EXPECT_TRUE(finished.ok()) << finished.error().message();
}

TEST(WorkerGroup, HoldsOnlyItsOwnDescriptors) {
    StopSource stop = make_stop();
    std::vector<Fd> files;
    files.reserve(10);
    for (int i = 0; i < 10; ++i) {
        files.emplace_back(::open("/dev/null", O_RDONLY));
    }
    WorkerGroup::Options options = workers(5, sleep_for_ever);
    options.keep_fds = [&](std::uint32_t index) {
        return std::vector<int>{files[std::size_t{2} * index + 1].get(),
                                files[std::size_t{2} * index].get()};
    };
    Result<WorkerGroup> group = WorkerGroup::start(std::move(options), stop, kHost);
    ASSERT_TRUE(group.ok());
    for (std::uint32_t index = 0; index < 5; ++index) {
        EXPECT_THAT(testing::open_fds(group->pid(index)),
                    ::testing::ElementsAre(0, 1, 2, files[std::size_t{2} * index].get(),
                                           files[std::size_t{2} * index + 1].get()));
    }
}

int forks_until_failure = 0;

TEST(WorkerGroup, AForkThatFailsHalfWayLeavesNothing) {
    StopSource stop = make_stop();
    for (const int k : {0, 1, 7}) {
        ScopedSyscalls calls;
        forks_until_failure = k;
        calls->fork = []() -> pid_t {
            if (forks_until_failure-- == 0) {
                errno = EAGAIN;
                return -1;
            }
            return ::fork();
        };
        const Result<WorkerGroup> group =
            WorkerGroup::start(workers(8, sleep_for_ever), stop, kHost);
        ASSERT_FALSE(group.ok());
        EXPECT_EQ(group.error().code, EAGAIN);
        EXPECT_THAT(group.error().message(),
                    HasSubstr("fork: Resource temporarily unavailable (" + std::to_string(k) +
                              " of 8 clients started; limit: "));
        EXPECT_TRUE(testing::has_no_children());
    }
}

TEST(WorkerGroup, DiesWithItsParent) {
    testing::SharedValue<std::array<std::atomic<pid_t>, 5>> pids;
    const pid_t owner = ::fork();
    if (owner == 0) {
        StopSource stop = make_stop();
        Result<WorkerGroup> group = WorkerGroup::start(workers(5, sleep_for_ever), stop, kHost);
        for (std::uint32_t index = 0; index < 5; ++index) {
            (*pids)[index] = group->pid(index);
        }
        group->release();
        sleep_for_ever(0);
    }
    ASSERT_TRUE(testing::eventually([&] { return (*pids)[4] != 0; }));
    ::kill(owner, SIGKILL);
    int status = 0;
    ::waitpid(owner, &status, 0);
    for (const auto& pid : *pids) {
        const bool gone = testing::eventually([&] { return !testing::is_alive(pid); });
        EXPECT_TRUE(gone) << pid;
        if (!gone) {
            ::kill(pid, SIGKILL);
        }
    }
}

TEST(WorkerGroup, HundredsStartAndEnd) {
    constexpr std::uint32_t kMany = 300;  // sanitizers make a fork dear
    StopSource stop = make_stop();
    testing::SharedValue<std::atomic<std::uint32_t>> ran;
    Result<WorkerGroup> group = WorkerGroup::start(workers(kMany,
                                                           [&](std::uint32_t) {
                                                               ++*ran;
                                                               return 0;
                                                           }),
                                                   stop, kHost);
    ASSERT_TRUE(group.ok()) << group.error().message();
    group->release();
    const Status finished = group->finish(kGenerous);
    EXPECT_TRUE(finished.ok()) << finished.error().message();
    EXPECT_EQ(*ran, kMany);
    EXPECT_TRUE(testing::has_no_children());
}

TEST(WorkerGroup, NothingBufferedIsPrintedTwice) {
    const testing::TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "out";
    std::FILE* out = std::fopen(path.c_str(), "w");
    ASSERT_NE(out, nullptr);
    std::fputs("header\n", out);
    StopSource stop = make_stop();
    Result<WorkerGroup> group =
        WorkerGroup::start(workers(5, [](std::uint32_t) { return 0; }), stop, kHost);
    ASSERT_TRUE(group.ok());
    group->release();
    ASSERT_TRUE(group->finish(kGenerous).ok());
    std::fclose(out);
    EXPECT_EQ(std::filesystem::file_size(path), 7U);
}

}  // namespace
}  // namespace bench
