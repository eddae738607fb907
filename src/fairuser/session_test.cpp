#include "fairuser/session.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <numeric>

#include "common/testing/scoped_stop_source.h"
#include "common/testing/temp_folder.h"
#include "fairuser/chat.h"

namespace bench::fairuser {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class SessionTest : public ::testing::Test {
  protected:
    Competitor competitor(const UserSpec& user, Workload workload) {
        return {.user = user,
                .workload = std::move(workload),
                .identity = std::nullopt,
                .output = folder_.path() / (user.name + ".output"),
                .group = 0};
    }

    Result<SessionRecord> run(std::vector<Competitor> users, Ending ending) {
        SessionPlan plan;
        plan.users = std::move(users);
        plan.ending = ending;
        plan.duration = 300ms;
        return run_session(plan, *stop_, SystemRoot());
    }

    Result<SessionRecord> run_commands(const std::string& first, const std::string& second) {
        return run({competitor({.name = "a"}, program_workload({"/bin/sh", "-c", first})),
                    competitor({.name = "b"}, program_workload({"/bin/sh", "-c", second}))},
                   Ending::work);
    }

  private:
    bench::testing::ScopedStopSource stop_;
    testing::TempFolder folder_;
};

TEST_F(SessionTest, MeasuresEachUsersLoopsUntilTheTimeIsUp) {
    const UserSpec few{.name = "few", .jobs = 1};
    const UserSpec many{.name = "many", .jobs = 3};
    const auto record = run(
        {competitor(few, spin_workload(few)), competitor(many, spin_workload(many))}, Ending::time);
    ASSERT_TRUE(record) << record.error().message();
    ASSERT_THAT(record->users, SizeIs(2));
    EXPECT_THAT(record->users[0].work, SizeIs(1));
    EXPECT_THAT(record->users[1].work, SizeIs(3));
    for (const UserRecord& user : record->users) {
        EXPECT_FALSE(user.finish) << "it was stopped";
        EXPECT_GT(user.cpu_time, Duration(0));
        EXPECT_GT(std::accumulate(user.work.begin(), user.work.end(), std::uint64_t{0}), 0U);
        EXPECT_NE(::kill(user.pid, 0), 0) << "no process is left";
    }
    EXPECT_GE(record->elapsed, 300ms);
    EXPECT_EQ(record->together.at, record->elapsed) << "all competed to the end";
    EXPECT_FALSE(record->samples.empty());
}

TEST_F(SessionTest, CountsPassingsOfEachPair) {
    const UserSpec user{.name = "a", .jobs = 2};
    const auto record = run({competitor(user, pipe_workload(user))}, Ending::time);
    ASSERT_TRUE(record) << record.error().message();
    EXPECT_THAT(record->users[0].work, SizeIs(2));
    EXPECT_THAT(record->users[0].work, Each(Gt(0U)));
}

TEST_F(SessionTest, TheFirstFinishEndsTheTimeInWhichAllCompete) {
    const auto record = run_commands("exit 0", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done");
    ASSERT_TRUE(record) << record.error().message();
    ASSERT_TRUE(record->users[0].finish && record->users[1].finish);
    EXPECT_EQ(record->elapsed, std::max(*record->users[0].finish, *record->users[1].finish));
    EXPECT_LE(record->together.at, record->elapsed + 1s);
    EXPECT_GT(record->users[1].cpu_time, Duration(0));
}

TEST_F(SessionTest, WorkThatFailsFailsTheSessionWithItsLastWords) {
    const auto record = run_commands("echo 'no such target'; exit 3", "sleep 1000");
    ASSERT_FALSE(record);
    EXPECT_THAT(record.error().message(), HasSubstr("user a"));
    EXPECT_THAT(record.error().message(), HasSubstr("exit status 3"));
    EXPECT_THAT(record.error().message(), HasSubstr("no such target"));
    EXPECT_FALSE(record.error().not_started);
}

TEST_F(SessionTest, AProgramThatIsNotThereIsNamed) {
    const auto record =
        run({competitor({.name = "a"}, program_workload({"/no/such/program"}))}, Ending::work);
    ASSERT_FALSE(record);
    EXPECT_THAT(record.error().message(), HasSubstr("/no/such/program"));
}

TEST_F(SessionTest, NiceIsSetAndReadBack) {
    const UserSpec nice{.name = "nice", .jobs = 1, .nice = 10};
    const auto record = run({competitor(nice, spin_workload(nice))}, Ending::time);
    ASSERT_TRUE(record) << record.error().message();
    EXPECT_EQ(record->users[0].readback.sched.nice, 10);
}

class ChatTest : public SessionTest, public ::testing::WithParamInterface<ChatSize> {};

TEST_P(ChatTest, EachMessageReachesTheOthersOfItsRoomExactlyOnce) {
    const ChatSize size = GetParam();
    const auto record = run({competitor({.name = "a"}, chat_workload(size, 0)),
                             competitor({.name = "b"}, chat_workload(size, 0))},
                            Ending::work);
    ASSERT_TRUE(record) << record.error().message();
    for (const UserRecord& user : record->users) {
        EXPECT_EQ(user.sent, static_cast<std::uint64_t>(size.sent()));
        EXPECT_EQ(user.received, static_cast<std::uint64_t>(size.received()));
        EXPECT_EQ(std::accumulate(user.work.begin(), user.work.end(), std::uint64_t{0}),
                  static_cast<std::uint64_t>(size.total()));
        EXPECT_THAT(user.job_finish, SizeIs(static_cast<std::size_t>(size.connections())));
    }
    EXPECT_NE(record->users[0].port, record->users[1].port);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ChatTest,
                         ::testing::Values(ChatSize{.rooms = 1, .users = 2, .messages = 1},
                                           ChatSize{.rooms = 3, .users = 5, .messages = 20},
                                           ChatSize{.rooms = 2, .users = 20, .messages = 50}));

TEST_F(SessionTest, ATakenPortIsSaid) {
    auto taken = listen_for_chat(0);
    ASSERT_TRUE(taken);
    sockaddr_in address{};
    socklen_t length = sizeof address;
    ASSERT_EQ(::getsockname(taken->get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
    const std::uint16_t port = ntohs(address.sin_port);
    const auto record =
        run({competitor({.name = "a"}, chat_workload(ChatSize{}, port))}, Ending::work);
    ASSERT_FALSE(record);
    EXPECT_TRUE(record.error().not_started);
    EXPECT_THAT(record.error().message(), HasSubstr("127.0.0.1:" + std::to_string(port)));
    EXPECT_THAT(record.error().message(), HasSubstr("already in use"));
}

}  // namespace
}  // namespace bench::fairuser
