#include "latt/options.h"

#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <array>

namespace bench::latt {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

Options parse(std::vector<std::string> arguments) {
    CLI::App app;
    Options options;
    add_options(app, options);
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
    return options;
}

TEST(LattOptions, DefaultToTheClassic) {
    const Options options = parse({});
    EXPECT_EQ(options, Options{});
    EXPECT_EQ(options.min_wait, 100ms);
    EXPECT_EQ(options.max_wait, 500ms);
    EXPECT_EQ(options.work.bytes, 65536U);
    EXPECT_THAT(variant(options), IsEmpty());
}

TEST(LattOptions, AreAllReadAndShownInTheVariant) {
    const Options options = parse({"--threads", "--wake=eventfd", "--min-wait=10000us",
                                   "--max-wait", "0.25s", "--work", "1MiB"});
    EXPECT_TRUE(options.threads);
    EXPECT_EQ(options.wake, WakeKind::eventfd);
    EXPECT_EQ(options.min_wait, 10ms);
    EXPECT_EQ(options.max_wait, 250ms);
    EXPECT_EQ(options.work.bytes, 1024U * 1024U);
    EXPECT_THAT(variant(options),
                ElementsAre(Pair("max_wait", "250ms"), Pair("min_wait", "10ms"),
                            Pair("threads", "on"), Pair("wake", "eventfd"), Pair("work", "1MiB")));
}

TEST(LattOptions, EverySpellingOfATimeGivesTheSamePlan) {
    const Options expected = parse({"--min-wait=10ms"});
    EXPECT_EQ(parse({"--min-wait=10000us"}), expected);
    EXPECT_EQ(parse({"--min-wait=0.01s"}), expected);
}

TEST(LattOptions, ZeroIsNoWorkAndNoWait) {
    const Options options = parse({"--work=0", "--min-wait=0", "--max-wait=0"});
    EXPECT_EQ(options.work.bytes, 0U);
    EXPECT_TRUE(check(options).ok());
    EXPECT_THAT(variant(options), testing::Contains(Pair("work", "0B")));
}

TEST(LattOptions, BadValuesAreRefused) {
    EXPECT_THROW(parse({"--wake=smoke"}), CLI::ValidationError);
    EXPECT_THROW(parse({"--min-wait=10"}), CLI::ValidationError);
    EXPECT_THROW(parse({"--min-wait=-1ms"}), CLI::ValidationError);
    EXPECT_THROW(parse({"--max-wait=25h"}), CLI::ValidationError);
    EXPECT_THROW(parse({"--work=64"}), CLI::ValidationError);
    EXPECT_THROW(parse({"--work=1025MiB"}), CLI::ValidationError);
    EXPECT_NO_THROW(parse({"--work=1GiB"}));
}

TEST(LattOptions, MinAboveMaxIsRefusedInEitherOrder) {
    for (const auto& options :
         {parse({"--min-wait=2s", "--max-wait=1s"}), parse({"--max-wait=1s", "--min-wait=2s"})}) {
        const Status status = check(options);
        ASSERT_FALSE(status.ok());
        EXPECT_EQ(status.error().code, 0);
        EXPECT_EQ(status.error().object, "--min-wait");
        EXPECT_THAT(status.error().message(), HasSubstr("2s is longer than --max-wait 1s"));
    }
    EXPECT_TRUE(check(parse({"--min-wait=1s", "--max-wait=1s"})).ok());
}

TEST(DrawWait, IsUniformInExactlyTheInterval) {
    Options options;
    options.min_wait = 3ns;
    options.max_wait = 7ns;
    Random random(1);
    std::array<int, 12> seen{};
    constexpr int expected = 10'000;
    constexpr int draws = 5 * expected;
    for (int i = 0; i < draws; ++i) {
        const auto wait = draw_wait(random, options).count();
        ASSERT_GE(wait, 3);
        ASSERT_LE(wait, 7);  // the classic went up to min + max
        ++seen.at(static_cast<std::size_t>(wait));
    }
    // Five values; the standard deviation of each count is 89.
    for (std::size_t wait = 3; wait <= 7; ++wait) {
        EXPECT_NEAR(seen.at(wait), expected, 450) << wait;
    }
}

TEST(DrawWait, EqualBoundsAlwaysGiveThatWait) {
    Options options;
    options.min_wait = options.max_wait = 100ms;
    Random random(1);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(draw_wait(random, options), 100ms);
    }
}

TEST(DrawWait, TheSeedDecides) {
    const Options options;
    Random first(5);
    Random second(5);
    Random other(6);
    const Duration draw = draw_wait(first, options);
    EXPECT_EQ(draw_wait(second, options), draw);
    EXPECT_NE(draw_wait(other, options), draw);
}

}  // namespace
}  // namespace bench::latt
