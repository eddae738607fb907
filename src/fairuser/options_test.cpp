#include "fairuser/options.h"

#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "common/bundle.h"

namespace bench::fairuser {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;

void parse(Options& options, std::vector<std::string> arguments) {
    CLI::App app;
    add_options(app, options);
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
}

void choose(Options& options, const char* option, const std::string& value) {
    for (const BenchmarkAxis& axis : axes(options)) {
        if (axis.option == option) {
            EXPECT_EQ(axis.apply(value), value);
        }
    }
}

Options two_users(std::vector<std::string> more = {}) {
    Options options;
    more.insert(more.begin(), {"--user", "vatsa=4", "--user", "guest=20"});
    parse(options, more);
    return options;
}

TEST(Options, AUserIsRepeated) {
    const Options options = two_users();
    ASSERT_EQ(options.users.size(), 2U);
    EXPECT_EQ(options.users[0].name, "vatsa");
    EXPECT_EQ(options.users[1].jobs, 20);
    EXPECT_TRUE(check_options(options).ok());
}

TEST(Options, BadValuesAreRefusedInOneLine) {
    for (const auto& arguments : std::vector<std::vector<std::string>>{{"--user", "vatsa"},
                                                                       {"--fixed", "effort"},
                                                                       {"--exclusive-cpus", "a"},
                                                                       {"--exclusive-cpus", ""},
                                                                       {"--units", "0"},
                                                                       {"--rooms", "-1"},
                                                                       {"--users", "1"},
                                                                       {"--messages", "x"},
                                                                       {"--port", "80"},
                                                                       {"--port", "70000"}}) {
        Options options;
        try {
            parse(options, arguments);
            ADD_FAILURE() << arguments[0] << " " << arguments[1];
        } catch (const CLI::ParseError& error) {
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        }
    }
    Options options;
    EXPECT_THROW(choose(options, "--group", "session"), CLI::ValidationError);
    EXPECT_THROW(choose(options, "--workload", "sleep"), CLI::ValidationError);
}

TEST(CheckOptions, NamesTheOptionThatDoesNotFit) {
    const auto refused = [](const Options& options) {
        const Status status = check_options(options);
        return status ? std::string("accepted") : status.error().object;
    };
    EXPECT_EQ(refused(Options{}), "--user");
    Options options;
    parse(options, {"--user", "a=1"});
    EXPECT_EQ(refused(options), "--user") << "one alone does not compete";
    parse(options, {"--user", "a=1", "--user", "a=2"});
    EXPECT_EQ(refused(options), "--user") << "twice the same";

    options = two_users({"--rooms", "3"});
    EXPECT_EQ(refused(options), "--rooms");
    choose(options, "--workload", "volano");
    EXPECT_EQ(refused(options), "accepted");
    options = two_users({"--port", "65535"});
    choose(options, "--workload", "volano");
    EXPECT_EQ(refused(options), "--port") << "the second user has no port";

    options = two_users({"--units", "3"});
    EXPECT_EQ(refused(options), "accepted");
    choose(options, "--workload", "spin");
    EXPECT_EQ(refused(options), "--units");
    options = two_users({"--target", "vmlinux"});
    EXPECT_EQ(refused(options), "--target") << "without --source";
    options = two_users({"--units", "3", "--source", "/x"});
    EXPECT_EQ(refused(options), "--units");

    options = two_users({"--fixed", "work"});
    EXPECT_EQ(refused(options), "accepted");
    choose(options, "--workload", "spin");
    EXPECT_EQ(refused(options), "--fixed");

    options = two_users();
    choose(options, "--workload", "cmd");
    EXPECT_EQ(refused(options), "--user") << "cmd= is missing";
    parse(options, {"--user", "a=1,cmd=true", "--user", "b=1,cmd=true"});
    EXPECT_EQ(refused(options), "accepted");
    choose(options, "--workload", "make");
    EXPECT_EQ(refused(options), "--user") << "cmd= means nothing there";
}

TEST(CheckSettings, NiceIsGivenOnceAndNobodyIsPinned) {
    Options options = two_users();
    WorkerSettings settings;
    settings.nice = 5;
    EXPECT_TRUE(check_settings(options, settings, false));
    const Status pinned = check_settings(options, settings, true);
    ASSERT_FALSE(pinned);
    EXPECT_EQ(pinned.error().object, "--pin");
    options.users[1].nice = 10;
    const Status twice = check_settings(options, settings, false);
    ASSERT_FALSE(twice);
    EXPECT_EQ(twice.error().object, "--nice");
    settings.nice.reset();
    EXPECT_TRUE(check_settings(options, settings, false));
}
TEST(Ending, IsTheWorkWhereThereIsAnEnd) {
    Options options = two_users();
    EXPECT_EQ(options.end(), Ending::work);
    choose(options, "--workload", "pipe");
    EXPECT_EQ(options.end(), Ending::time);
    choose(options, "--workload", "volano");
    EXPECT_EQ(options.end(), Ending::work);
    options = two_users({"--fixed", "time"});
    EXPECT_EQ(options.end(), Ending::time);
}

TEST(Variant, TellsGroupWorkloadAndUsersAndIsReadAsACommand) {
    Options options = two_users({"--rooms", "3", "--messages", "7"});
    choose(options, "--workload", "volano");
    choose(options, "--group", "cgroup");
    const auto pairs = variant(options);
    EXPECT_THAT(pairs, Contains(Pair("group", "cgroup")));
    EXPECT_THAT(pairs, Contains(Pair("workload", "volano")));
    EXPECT_THAT(pairs, Contains(Pair("user_guest", "20")));
    EXPECT_EQ(command_in_variant(format_variant(pairs), "guest"), "chat 3x20x7");
    options = two_users();
    options.users[1].nice = 10;
    EXPECT_EQ(command_in_variant(format_variant(variant(options)), "vatsa"), "make -j4");
    EXPECT_EQ(command_in_variant(format_variant(variant(options)), "guest"), "nice 10: make -j20");
    EXPECT_EQ(command_in_variant("user_vatsa=nice make -j20", "vatsa"), "nice make -j20");
}

TEST(ChatSize, CountsEachMessageAtThe19Others) {
    const ChatSize size = chat_size(Options{});
    EXPECT_EQ(size.sent(), 20'000);
    EXPECT_EQ(size.received(), 380'000);
    EXPECT_EQ(size.total(), 400'000);
}

}  // namespace
}  // namespace bench::fairuser
