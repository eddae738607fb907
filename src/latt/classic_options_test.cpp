#include "latt/classic_options.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "common/tool_version.h"

namespace bench::latt {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Result<ClassicOptions> parse(std::vector<std::string> words) {
    words.insert(words.begin(), "latt");
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    return parse_classic_options(static_cast<int>(words.size()), argv.data());
}

TEST(ClassicOptions, DefaultToTheClassics) {
    const auto options = parse({"sleep 5"});
    ASSERT_TRUE(options.ok());
    EXPECT_EQ(options->clients, 1);
    EXPECT_EQ(options->min_wait_ms, 100);
    EXPECT_EQ(options->max_wait_ms, 500);
    EXPECT_EQ(options->work_kb, 64);
    EXPECT_EQ(options->command, "sleep 5");
    EXPECT_EQ(options->action, ClassicOptions::Action::run);
}

TEST(ClassicOptions, ReadAttachedAndSeparateValues) {
    const auto options = parse({"-c8", "-s", "10", "-S20", "-x", "0", "-v", "make -j4"});
    ASSERT_TRUE(options.ok()) << options.error().message();
    EXPECT_EQ(options->clients, 8);
    EXPECT_EQ(options->min_wait_ms, 10);
    EXPECT_EQ(options->max_wait_ms, 20);
    EXPECT_EQ(options->work_kb, 0);
    EXPECT_TRUE(options->verbose);
    EXPECT_EQ(options->command, "make -j4");
}

TEST(ClassicOptions, LeaveTheCommandsOwnOptionsToIt) {
    const auto options = parse({"-c2", "make", "-j4", "-s"});
    ASSERT_TRUE(options.ok()) << options.error().message();
    EXPECT_EQ(options->clients, 2);
    EXPECT_EQ(options->min_wait_ms, 100);
    EXPECT_EQ(options->command, "make -j4 -s");
}

TEST(ClassicOptions, KnowNoCapOfClientsOrCommandLength) {
    const std::string command(10'000, 'x');
    const auto options = parse({"-c", "10000", command});
    ASSERT_TRUE(options.ok());
    EXPECT_EQ(options->clients, 10'000);
    EXPECT_EQ(options->command, command);
}

TEST(ClassicOptions, RefuseNumbersReadLoosely) {
    for (const std::string value :
         {"0", "-1", "4x", "=4", "", " 4", "99999999999", "1e3", "0x10", "4.0"}) {
        const auto options = parse({"-c", value, "true"});
        ASSERT_FALSE(options.ok()) << value;
        EXPECT_EQ(options.error().code, 0);
        EXPECT_THAT(options.error().message(), StartsWith("-c: '" + value + "' is not"));
        EXPECT_THAT(options.error().message(), testing::Not(HasSubstr("\n")));
    }
    EXPECT_FALSE(parse({"-x", "1048577", "true"}).ok());
    EXPECT_FALSE(parse({"-s", "nan", "true"}).ok());
}

TEST(ClassicOptions, RefuseUnknownAndUnfinishedOnes) {
    EXPECT_THAT(parse({"-z", "true"}).error().message(), HasSubstr("-z: no such option"));
    EXPECT_THAT(parse({"-c"}).error().message(), HasSubstr("-c: needs a number"));
}

TEST(ClassicOptions, RefuseMinAboveMax) {
    EXPECT_THAT(parse({"-s", "600", "true"}).error().message(), HasSubstr("600 ms is longer"));
    EXPECT_TRUE(parse({"-s", "500", "true"}).ok());
    EXPECT_TRUE(parse({"-S", "600", "-s", "600", "true"}).ok());
}

TEST(ClassicOptions, HelpAndVersionNeedNoCommand) {
    EXPECT_EQ(parse({"-h"})->action, ClassicOptions::Action::help);
    EXPECT_EQ(parse({"--help"})->action, ClassicOptions::Action::help);
    EXPECT_EQ(parse({"-V"})->action, ClassicOptions::Action::version);
    EXPECT_EQ(classic_version(), "latt 0.1 (bench " + std::string(tool_version().version) + ")\n");
    EXPECT_EQ(parse({"-c8"})->command, "");
}

}  // namespace
}  // namespace bench::latt
