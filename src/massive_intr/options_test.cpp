#include "massive_intr/options.h"

#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace bench::massive_intr {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

Options parse(std::vector<std::string> arguments) {
    Options options;
    CLI::App app;
    add_options(app, options);
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
    return options;
}

std::string refusal(const std::string& argument) {
    try {
        (void)parse({argument});
    } catch (const CLI::ParseError& error) {
        return error.what();
    }
    return "taken";
}

TEST(Options, AreTheClassicsByDefault) {
    const Options options = parse({});
    EXPECT_EQ(options.work, 8ms);
    EXPECT_EQ(options.sleep, 1ms);
    EXPECT_FALSE(options.loops_per_ms);
    EXPECT_THAT(variant(options), IsEmpty());
}

TEST(Options, WhatDiffersMakesAVariant) {
    EXPECT_THAT(
        variant(parse({"--work=2ms", "--sleep=500us", "--loops-per-ms=3000000"})),
        ElementsAre(Pair("loops_per_ms", "3000000"), Pair("sleep", "500us"), Pair("work", "2ms")));
    EXPECT_THAT(variant(parse({"--work=8000us"})), IsEmpty());
}

TEST(Options, WhatMakesNoSenseIsRefusedByName) {
    EXPECT_THAT(refusal("--work=8"), HasSubstr("--work"));
    EXPECT_THAT(refusal("--work=0"), HasSubstr("--work"));
    EXPECT_THAT(refusal("--work=2h"), HasSubstr("--work"));
    EXPECT_THAT(refusal("--sleep=0"), HasSubstr("--sleep"));
    EXPECT_THAT(refusal("--sleep=-1ms"), HasSubstr("--sleep"));
    EXPECT_THAT(refusal("--loops-per-ms=0"), HasSubstr("--loops-per-ms"));
    EXPECT_THAT(refusal("--loops-per-ms=1.5"), HasSubstr("--loops-per-ms"));
}

TEST(WorkLoops, AreExactWhereTheyCanBe) {
    EXPECT_EQ(work_loops(3'000'001, 8ms), 24'000'008U);
    EXPECT_EQ(work_loops(3'000'000, 1us), 3000U);
    EXPECT_EQ(work_loops(1500, 1us), 2U);  // 1.5, rounded
    EXPECT_EQ(work_loops(1, 1us), 1U);
    EXPECT_EQ(work_loops(max_loops_per_ms, longest_part), 3'600'000'000'000'000U);
}

}  // namespace
}  // namespace bench::massive_intr
