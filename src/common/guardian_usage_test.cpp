#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <ctime>

#include "common/guardian.h"
#include "common/process_stat.h"
#include "common/testing/processes.h"

namespace bench {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::SharedValue;

Duration own_cpu_time() {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

constexpr Duration kPortion = 60ms;

/// What the processes of a test have used by their own clocks, and how many have.
struct Book {
    std::atomic<std::int64_t> used_ns{0};
    std::atomic<int> ended{0};
};

/// Uses its portion in bits that end before a tick could see them.
void burn(Book& book) {
    const Duration from = own_cpu_time();
    while (own_cpu_time() - from < kPortion) {
        const Duration bit = own_cpu_time();
        while (own_cpu_time() - bit < 300us) {
        }
        ::usleep(50);
    }
    book.used_ns += own_cpu_time().count();
    ++book.ended;
}

[[noreturn]] void burn_and_end(Book& book) {
    burn(book);
    ::_exit(0);
}

void fork_daemon(const std::function<void()>& what) {
    const pid_t middle = ::fork();
    if (middle == 0) {
        if (::fork() == 0) {
            ::setsid();
            what();
            ::_exit(0);
        }
        ::_exit(0);
    }
    ::waitpid(middle, nullptr, 0);
}

Result<Guardian> guard(std::function<void()> what) {
    Guardian::Options options;
    options.commands.emplace_back().body = [what = std::move(what)] {
        what();
        return 0;
    };
    return Guardian::start(std::move(options));
}

/// Not less than the processes have seen themselves use, and no more than their starts and ends
/// explain.
void expect_near(Duration told, std::int64_t booked_ns) {
    const auto booked = static_cast<double>(booked_ns);
    EXPECT_GE(static_cast<double>(told.count()), 0.97 * booked);
    EXPECT_LE(static_cast<double>(told.count()), 1.30 * booked);
}

TEST(GuardianUsage, HoldsChildrenWaitedForOrNotAndDaemons) {
    SharedValue<Book> book;
    auto guardian = guard([&] {
        burn(*book);
        const pid_t waited = ::fork();
        if (waited == 0) {
            burn_and_end(*book);
        }
        ::waitpid(waited, nullptr, 0);
        if (::fork() == 0) {  // nobody waits for this one
            burn_and_end(*book);
        }
        fork_daemon([&] { burn(*book); });
    });
    ASSERT_TRUE(guardian.ok()) << guardian.error().message();
    ASSERT_TRUE(eventually([&] { return book->ended == 4; }));
    ASSERT_TRUE(eventually([&] { return guardian->usage()->running == 0; }));
    const auto usage = guardian->usage();
    expect_near(usage->cpu_time, book->used_ns);
    ASSERT_TRUE(usage->context_switches.has_value());
    // Each slept once in 300 us of its portion, give or take.
    EXPECT_GT(*usage->context_switches, 4 * (kPortion / 300us) / 2);
    ASSERT_TRUE(guardian->stop(Duration::zero()).ok());
    EXPECT_EQ(guardian->usage()->cpu_time, usage->cpu_time) << "and nothing was added";
}

TEST(GuardianUsage, HoldsWhatStillRunsToo) {
    SharedValue<Book> book;
    auto guardian = guard([&] {
        const pid_t waited = ::fork();
        if (waited == 0) {
            burn_and_end(*book);
        }
        ::waitpid(waited, nullptr, 0);
        fork_daemon([&] {
            burn(*book);
            while (true) {
                ::pause();
            }
        });
        burn(*book);
        while (true) {
            ::pause();
        }
    });
    ASSERT_TRUE(guardian.ok()) << guardian.error().message();
    ASSERT_TRUE(eventually([&] { return book->ended == 3; }));
    const auto usage = guardian->usage();
    ASSERT_TRUE(usage.ok()) << usage.error().message();
    EXPECT_EQ(usage->running, 2U);
    // The waited-for child comes in whole ticks.
    EXPECT_GE(usage->cpu_time.count(), book->used_ns.load() * 9 / 10 - 20'000'000);
    expect_near(usage->cpu_time + 10ms, book->used_ns);
    EXPECT_EQ(usage->context_switches, std::nullopt) << "not known while any runs";
    EXPECT_EQ(usage->run_delay, std::nullopt) << "an ended child took its own along";
    ASSERT_TRUE(guardian->stop(Duration::zero()).ok());
    const auto total = guardian->usage();
    EXPECT_GE(total->cpu_time, usage->cpu_time);
    expect_near(total->cpu_time, book->used_ns);
    EXPECT_EQ(total->running, 0U);
    EXPECT_TRUE(total->context_switches.has_value()) << "killed ones are reaped as well";
}

TEST(GuardianUsage, KnowsTheRunDelayWhileAllLive) {
    SharedValue<Book> book;
    auto guardian = guard([&] {
        burn(*book);
        while (true) {
            ::pause();
        }
    });
    ASSERT_TRUE(guardian.ok());
    ASSERT_TRUE(eventually([&] { return book->ended == 1; }));
    const std::string schedstat = testing::file_text("/proc/self/schedstat");
    if (schedstat.empty() || schedstat.ends_with(" 0\n")) {
        GTEST_SKIP() << "this kernel has no schedstat";
    }
    const auto usage = guardian->usage();
    EXPECT_TRUE(usage->run_delay.has_value());
    EXPECT_EQ(usage->running, 1U);
}

TEST(GuardianUsage, StillTellsOfExits) {
    auto guardian = guard([] {});
    ASSERT_TRUE(guardian.ok());
    ASSERT_TRUE(eventually([&] { return guardian->usage()->running == 0; }));
    EXPECT_TRUE(eventually([&] { return guardian->poll_exits().size() == 1; }));
}

TEST(GuardianUsage, IsAnErrorOnceTheGuardianIsGone) {
    auto guardian = guard([] { ::pause(); });
    ASSERT_TRUE(guardian.ok());
    ::kill(guardian->guardian_pid(), SIGKILL);
    EXPECT_FALSE(guardian->usage().ok());
    EXPECT_FALSE(guardian->stop(Duration::zero()).ok());
    EXPECT_FALSE(guardian->usage().ok());
}

TEST(ProcessStat, ReadsOddNamesAndRefusesHalfLines) {
    const auto entry = parse_process_stat(
        "71 (a) (b c) S 7 71 71 0 -1 4194560 1 20 3 4 100 200 30 40 20 0 1 0 12345 1 1\n");
    ASSERT_TRUE(entry.has_value());
    EXPECT_EQ(entry->pid, 71);
    EXPECT_EQ(entry->parent, 7);
    EXPECT_EQ(entry->state, 'S');
    EXPECT_EQ(entry->name, "a) (b c");
    EXPECT_EQ(entry->waited_cpu_time, 70 * (1'000'000'000ns / ::sysconf(_SC_CLK_TCK)));
    EXPECT_EQ(entry->waited_faults, 24U);
    EXPECT_EQ(entry->start_ticks, 12345U);
    for (const char* text :
         {"", "71", "71 (a", "71 (a) S", "71 )a( S 1 2 3", "71 (a) S 7 71 71 0"}) {
        EXPECT_FALSE(parse_process_stat(text).has_value()) << text;
    }
}

}  // namespace
}  // namespace bench
