#include "fairuser/user_spec.h"

#include <gmock/gmock.h>

namespace bench::fairuser {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ParseUser, ReadsNameAndJobs) {
    const auto user = parse_user("vatsa=4");
    ASSERT_TRUE(user);
    EXPECT_EQ(user->name, "vatsa");
    EXPECT_EQ(user->jobs, 4);
    EXPECT_FALSE(user->nice);
    EXPECT_EQ(user->weight, usual_weight);
    EXPECT_FALSE(user->command);
}

TEST(ParseUser, ReadsAllPartsInAnyOrderAndTheCommandWithItsCommas) {
    const auto user = parse_user("guest=20,weight=50,nice=-3,cmd=make -j{jobs} a,b nice=1");
    ASSERT_TRUE(user);
    EXPECT_EQ(user->nice, -3);
    EXPECT_EQ(user->weight, 50);
    EXPECT_EQ(user->command, "make -j{jobs} a,b nice=1");
    EXPECT_EQ(parse_user("a=1,nice=2,weight=3")->nice, parse_user("a=1,weight=3,nice=2")->nice);
}

TEST(ParseUser, WritesWhatItReads) {
    for (const char* text : {"vatsa=4", "guest=20,nice=10", "a_b-1=1,weight=7", "x=2,cmd=a,b",
                             "x=2,nice=-1,weight=9,cmd=sleep 1"}) {
        const auto user = parse_user(text);
        ASSERT_TRUE(user) << text;
        EXPECT_EQ(format_user(*user), text);
    }
}

TEST(ParseUser, SaysWhichPartIsWrongAndWhatIsAllowed) {
    const std::pair<const char*, const char*> cases[] = {
        {"vatsa", "NAME=JOBS"},
        {"", "NAME=JOBS"},
        {"=4", "a name is"},
        {"Vatsa=4", "a name is"},
        {"a/b=4", "a name is"},
        {"..=4", "a name is"},
        {"a123456789012345678901234567890123=1", "32 characters"},
        {"vatsa=", "JOBS"},
        {"vatsa=0", "JOBS"},
        {"vatsa=10001", "10000"},
        {"vatsa=4x", "JOBS"},
        {"vatsa=4,nice=20", "-20..19"},
        {"vatsa=4,nice=", "nice"},
        {"vatsa=4,weight=0", "weight"},
        {"vatsa=4,wait=3", "nice=N, weight=W, cmd=COMMAND"},
        {"vatsa=4,", "nice=N, weight=W, cmd=COMMAND"},
        {"vatsa=4,nice=1,nice=1", "nice is given twice"},
        {"vatsa=4,cmd=", "cmd is empty"},
    };
    for (const auto& [text, reason] : cases) {
        const auto user = parse_user(text);
        ASSERT_FALSE(user) << text;
        EXPECT_THAT(user.error().detail, HasSubstr(reason));
        EXPECT_THAT(user.error().detail, HasSubstr(std::string("'") + text + "'"));
        EXPECT_EQ(user.error().detail.find('\n'), std::string::npos);
    }
}

std::vector<UserSpec> four_and_twenty() {
    return {{.name = "a", .jobs = 4}, {.name = "b", .jobs = 20}};
}

TEST(ExpectedShares, AreEqualUntilAUserHasTooFewJobs) {
    const auto near = [](double a, double b) {
        return ElementsAre(DoubleNear(a, 1e-12), DoubleNear(b, 1e-12));
    };
    for (const std::int64_t cpus : {1, 2, 4, 8}) {
        EXPECT_THAT(expected_shares(four_and_twenty(), cpus), near(0.5, 0.5)) << cpus;
    }
    EXPECT_THAT(expected_shares(four_and_twenty(), 16), near(0.25, 0.75));
    for (const std::int64_t cpus : {24, 25, 256}) {
        EXPECT_THAT(expected_shares(four_and_twenty(), cpus), near(4 / 24.0, 20 / 24.0)) << cpus;
    }
}

TEST(ExpectedShares, FollowTheWeights) {
    auto users = four_and_twenty();
    users[1].weight = 3 * usual_weight;
    EXPECT_NEAR(expected_shares(users, 1)[0], 0.25, 1e-12);
    users.push_back({.name = "c", .jobs = 1, .weight = 4 * usual_weight});
    // c may have half of 8 CPUs and can use one; a and b share seven by 1 : 3.
    EXPECT_THAT(expected_shares(users, 8),
                ElementsAre(DoubleNear(7 / 4.0 / 8, 1e-12), DoubleNear(21 / 4.0 / 8, 1e-12),
                            DoubleNear(1 / 8.0, 1e-12)));
}

}  // namespace
}  // namespace bench::fairuser
