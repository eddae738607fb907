#include "latt/session.h"

#include <gmock/gmock.h>
#include <unistd.h>
#include <zlib.h>

#include <csignal>
#include <filesystem>
#include <set>
#include <thread>

#include "common/testing/scoped_stop_source.h"

namespace bench::latt {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Puts SIGSEGV back, which ASan takes for itself.
class SessionFixture {
  public:
    SessionFixture() { segv_ = std::signal(SIGSEGV, SIG_DFL); }
    ~SessionFixture() { std::signal(SIGSEGV, segv_); }
    SessionFixture(const SessionFixture&) = delete;
    SessionFixture& operator=(const SessionFixture&) = delete;

    StopSource& stop() { return *stop_; }

    std::unique_ptr<Session> start(const Session::Plan& plan) {
        auto session = Session::start(plan, *stop_, SystemRoot());
        EXPECT_TRUE(session.ok()) << session.error().message();
        return session.ok() ? std::move(*session) : nullptr;
    }

  private:
    void (*segv_)(int) = SIG_DFL;
    bench::testing::ScopedStopSource stop_;
};

Session::Plan small_plan(WakeKind wake, bool threads) {
    Session::Plan plan;
    plan.options.wake = wake;
    plan.options.threads = threads;
    plan.options.min_wait = 0ms;
    plan.options.max_wait = 1ms;
    plan.options.work = ByteSize{1024};
    plan.clients = 3;
    plan.max_rounds = 5;
    return plan;
}

WorkResult no_memory(ClassicRandom& /*random*/, std::size_t /*bytes*/) {
    return {Z_MEM_ERROR, 0};
}

WorkResult crash(ClassicRandom& /*random*/, std::size_t /*bytes*/) {
    (void)std::raise(SIGSEGV);
    return {};
}

// Stops the run from within a round that then can't end.
WorkResult terminate_parent(ClassicRandom& /*random*/, std::size_t /*bytes*/) {
    ::kill(::getppid(), SIGTERM);
    for (;;) {
        ::pause();
    }
}

class EveryChannel : public ::testing::TestWithParam<std::tuple<WakeKind, bool>>,
                     public SessionFixture {
  protected:
    static Session::Plan plan() {
        return small_plan(std::get<0>(GetParam()), std::get<1>(GetParam()));
    }
};

class ProcessChannel : public ::testing::TestWithParam<WakeKind>, public SessionFixture {
  protected:
    static Session::Plan plan() { return small_plan(GetParam(), false); }
};

std::string channel_name(WakeKind wake, bool threads) {
    return std::string(wake_kind_text(wake)) + (threads ? "_threads" : "_processes");
}

constexpr auto all_kinds = {WakeKind::pipe, WakeKind::futex, WakeKind::eventfd};

INSTANTIATE_TEST_SUITE_P(Session, EveryChannel,
                         ::testing::Combine(::testing::ValuesIn(all_kinds), ::testing::Bool()),
                         [](const auto& channel) {
                             return channel_name(std::get<0>(channel.param),
                                                 std::get<1>(channel.param));
                         });
INSTANTIATE_TEST_SUITE_P(Session, ProcessChannel, ::testing::ValuesIn(all_kinds),
                         [](const auto& channel) { return channel_name(channel.param, false); });

TEST_P(EveryChannel, WakesEveryClientOnceARound) {
    const auto session = start(plan());
    ASSERT_TRUE(session);
    const auto reason = session->run();
    ASSERT_TRUE(reason.ok()) << reason.error().message();
    EXPECT_EQ(*reason, StopReason::deadline);
    ASSERT_TRUE(session->finish(60s).ok());

    const Recording& recording = session->recording();
    ASSERT_THAT(recording.rounds, SizeIs(5));
    ASSERT_THAT(recording.samples, SizeIs(15));
    EXPECT_THAT(session->accounting(), SizeIs(3));
    for (std::size_t i = 0; i < recording.samples.size(); ++i) {
        const Sample& sample = recording.samples[i];
        EXPECT_EQ(sample.client, i % 3);
        EXPECT_GE(sample.sent_ns, recording.rounds[i / 3].actual_ns);
        EXPECT_GE(sample.woken_ns, sample.sent_ns);
        EXPECT_GT(sample.done_ns, sample.woken_ns);
    }
}

TEST_P(EveryChannel, WaitsForAllRepliesBeforeTheNextRound) {
    auto waiting = plan();
    waiting.options.min_wait = waiting.options.max_wait = 2ms;
    const auto session = start(waiting);
    ASSERT_TRUE(session);
    ASSERT_TRUE(session->run().ok());
    const Recording& recording = session->recording();
    ASSERT_THAT(recording.rounds, SizeIs(5));
    for (std::size_t i = 0; i + 3 < recording.samples.size(); ++i) {
        const RoundStart& next = recording.rounds[i / 3 + 1];
        EXPECT_GE(next.planned_ns, recording.samples[i].done_ns + Duration(2ms).count());
        EXPECT_GE(next.actual_ns, next.planned_ns);
    }
}

TEST_P(EveryChannel, WithoutWorkNothingIsTimedAfterTheWake) {
    auto idle = plan();
    idle.options.work = ByteSize{0};
    idle.work = no_memory;  // must not be called
    const auto session = start(idle);
    ASSERT_TRUE(session);
    ASSERT_TRUE(session->run().ok());
    ASSERT_THAT(session->recording().samples, SizeIs(15));
    for (const Sample& sample : session->recording().samples) {
        EXPECT_EQ(sample.done_ns, sample.woken_ns);
    }
}

TEST_P(EveryChannel, AClientWhoseWorkFailsFailsTheRun) {
    auto failing = plan();
    failing.work = no_memory;
    const auto session = start(failing);
    ASSERT_TRUE(session);
    const auto reason = session->run();
    ASSERT_FALSE(reason.ok());
    EXPECT_THAT(reason.error().message(), HasSubstr("client 0 (pid "));
    EXPECT_THAT(reason.error().message(), HasSubstr("Z_MEM_ERROR"));
    EXPECT_THAT(session->recording().samples, SizeIs(0));
}

TEST_P(EveryChannel, ADeadlineThatIsOverLeavesNoSamples) {
    const auto session = start(plan());
    ASSERT_TRUE(session);
    stop().set_deadline(MonotonicClock::now());
    const auto reason = session->run();
    ASSERT_TRUE(reason.ok());
    EXPECT_EQ(*reason, StopReason::deadline);
    EXPECT_TRUE(session->finish(60s).ok());
    EXPECT_THAT(session->recording().samples, SizeIs(0));
    EXPECT_THAT(session->accounting(), SizeIs(3));
}

TEST_P(EveryChannel, ASessionThatNeverRanEndsItsClients) {
    const auto session = start(plan());
    ASSERT_TRUE(session);
    session->clients().release();
    EXPECT_TRUE(session->finish(60s).ok());
}

TEST_P(ProcessChannel, AClientKilledWhileItSleepsIsNamed) {
    const auto session = start(plan());
    ASSERT_TRUE(session);
    const pid_t victim = session->clients().pid(1);
    ASSERT_EQ(::kill(victim, SIGSEGV), 0);
    const auto reason = session->run();
    ASSERT_FALSE(reason.ok());
    EXPECT_THAT(reason.error().message(),
                HasSubstr("client 1 (pid " + std::to_string(victim) + ") was killed by SIGSEGV"));
}

TEST_P(ProcessChannel, AClientThatCrashesAtWorkIsNamed) {
    auto crashing = plan();
    crashing.clients = 1;
    crashing.work = crash;
    const auto session = start(crashing);
    ASSERT_TRUE(session);
    const auto reason = session->run();
    ASSERT_FALSE(reason.ok());
    EXPECT_THAT(reason.error().message(), HasSubstr("was killed by SIGSEGV"));
    EXPECT_THAT(reason.error().message(), HasSubstr("client 0 (pid "));
    EXPECT_THAT(session->recording().samples, SizeIs(0));  // no round with stale stamps
}

TEST_P(ProcessChannel, ASignalEndsARoundThatCanNotEnd) {
    auto hanging = plan();
    hanging.clients = 1;  // more would each send one, and the rest would hit the test
    hanging.work = terminate_parent;
    const auto session = start(hanging);
    ASSERT_TRUE(session);
    const auto reason = session->run();
    ASSERT_TRUE(reason.ok()) << reason.error().message();
    EXPECT_EQ(*reason, StopReason::signal);
    EXPECT_EQ(stop().signal_number(), SIGTERM);
    EXPECT_THAT(session->recording().rounds, SizeIs(0));
    EXPECT_FALSE(session->finish(10ms).ok());
    EXPECT_THAT(session->accounting(), SizeIs(0));
}

TEST_P(ProcessChannel, AStoppedClientOnlyLengthensItsRound) {
    auto stopped = plan();
    stopped.max_rounds = 20;
    const auto session = start(stopped);
    ASSERT_TRUE(session);
    const pid_t victim = session->clients().pid(0);
    ASSERT_EQ(::kill(victim, SIGSTOP), 0);
    std::int64_t continued_ns = 0;
    std::thread waker([&] {
        std::this_thread::sleep_for(100ms);
        continued_ns = MonotonicClock::now().time_since_epoch().count();
        ::kill(victim, SIGCONT);
    });
    const auto reason = session->run();
    waker.join();
    ASSERT_TRUE(reason.ok()) << reason.error().message();
    const Recording& recording = session->recording();
    ASSERT_THAT(recording.rounds, SizeIs(20));
    EXPECT_GE(recording.samples[0].woken_ns, continued_ns);
    // The rounds that follow are planned anew, not made up for.
    EXPECT_GE(recording.rounds[1].planned_ns, recording.samples[0].done_ns);
    std::vector<std::int64_t> later;
    for (std::size_t i = 3; i < recording.samples.size(); ++i) {
        later.push_back(recording.samples[i].woken_ns - recording.samples[i].sent_ns);
    }
    std::nth_element(later.begin(), later.begin() + 28, later.end());
    EXPECT_LT(later[28], (recording.samples[0].woken_ns - recording.samples[0].sent_ns) / 2);
}

TEST_P(ProcessChannel, AClientHoldsItsOwnEndsAlone) {
    const auto session = start(plan());
    ASSERT_TRUE(session);
    const std::size_t own = GetParam() == WakeKind::futex ? 0 : 2;
    std::multiset<std::string> pipes;
    for (std::uint32_t client = 0; client < 3; ++client) {
        std::size_t held = 0;
        const auto folder = "/proc/" + std::to_string(session->clients().pid(client)) + "/fd";
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            if (std::stoi(entry.path().filename()) > 2) {
                ++held;
                pipes.insert(std::filesystem::read_symlink(entry.path()));
            }
        }
        EXPECT_EQ(held, own) << "client " << client;
    }
    if (GetParam() == WakeKind::pipe) {  // eventfds all have the same name
        for (const std::string& pipe : pipes) {
            EXPECT_EQ(pipes.count(pipe), 1U) << pipe;
        }
    }
}

class SessionTest : public ::testing::Test, public SessionFixture {};

int load_pipe_write = -1;

WorkResult end_load(ClassicRandom& /*random*/, std::size_t /*bytes*/) {
    EXPECT_EQ(::write(load_pipe_write, "x", 1), 1);
    return {};
}

TEST_F(SessionTest, ARoundIsFinishedThoughTheLoadEndsInIt) {
    int fds[2];
    ASSERT_EQ(::pipe(fds), 0);
    const Fd read_end(fds[0]);
    const Fd write_end(fds[1]);
    load_pipe_write = fds[1];
    stop().watch_load(fds[0]);
    auto plan = small_plan(WakeKind::pipe, true);
    plan.work = end_load;
    const auto session = start(plan);
    ASSERT_TRUE(session);
    const auto reason = session->run();
    ASSERT_TRUE(reason.ok());
    EXPECT_EQ(*reason, StopReason::load_ended);
    EXPECT_THAT(session->recording().rounds, SizeIs(1));
    EXPECT_THAT(session->recording().samples, SizeIs(3));
}

TEST(ClientSeed, IsEachClientsOwnAndComesFromTheSeed) {
    std::set<std::uint32_t> seeds;
    for (std::uint32_t client = 0; client < 1000; ++client) {
        seeds.insert(Session::client_seed(1, client));
        EXPECT_EQ(Session::client_seed(1, client), Session::client_seed(1, client));
    }
    EXPECT_THAT(seeds, SizeIs(1000));
    EXPECT_NE(Session::client_seed(1, 0), Session::client_seed(2, 0));
}

}  // namespace
}  // namespace bench::latt
