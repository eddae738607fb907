#include "analysis/study_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/study_json.h"
#include "analysis/testing/sides.h"

namespace bench::analysis {
namespace {

using ::testing::HasSubstr;
using testing::make_side;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::SidePlan;

SidePlan fresh_plan(double level) {
    return {.label = "fresh", .kernel = "6.12.0", .boots = {"boot-b"}, .level = level, .seed = 2};
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

Study study_of(const SidePlan& base, const SidePlan& fresh) {
    return make_study(make_side(base), make_side(fresh), {});
}

TEST(StudyText, TheFirstLineTellsItAll) {
    const std::string worse = study_text(study_of({}, fresh_plan(1.5)));
    EXPECT_THAT(first_line(worse),
                MatchesRegex("6.12.0 against 6.1.0: wakeup p50 worse by [0-9.]+ % "
                             ".[0-9.]+, [0-9.]+.; wakeup p99 worse by [0-9.]+ % .*"));
    EXPECT_THAT(worse, HasSubstr("\none boot each: "));
    EXPECT_THAT(worse, HasSubstr("work p50 unchanged"));
    // The other way round the size keeps its sign: better by so much.
    EXPECT_THAT(first_line(study_text(study_of({}, fresh_plan(0.5)))),
                MatchesRegex("6.12.0 against 6.1.0: wakeup p50 better by [0-9.]+ % "
                             ".[0-9.]+, [0-9.]+.;.*"));
}

TEST(StudyText, TooFewRunsAreNotCalledTheSame) {
    SidePlan base;
    SidePlan fresh = fresh_plan(2);
    base.repetitions = fresh.repetitions = 3;
    const Study study = study_of(base, fresh);
    const std::string text = study_text(study);
    EXPECT_THAT(first_line(text), HasSubstr("cannot be decided: needs at least 5 runs a side"));
    EXPECT_THAT(text, Not(HasSubstr("wakeup p50 unchanged")));
    EXPECT_TRUE(study_json(study)["findings"][0]["p_regressed"].is_null());
}

TEST(StudyText, WhatForbidsAComparisonComesFirst) {
    SidePlan fresh = fresh_plan(1);
    fresh.clients = {1, 2};
    const std::string text = study_text(study_of({}, fresh));
    EXPECT_THAT(first_line(text), HasSubstr("not comparable: latt load=none, 4 clients"));
    EXPECT_THAT(text, HasSubstr("missing-cells: latt load=none, 4 clients: fresh has no such"));
}

TEST(StudyText, AZeroBaselineHasNoPercent) {
    SidePlan base;
    base.level = 0;
    const std::string text = study_text(study_of(base, fresh_plan(1.8)));
    EXPECT_THAT(first_line(text), MatchesRegex(".*wakeup p50 worse by [0-9.]+ ms .*"));
    EXPECT_THAT(first_line(text), Not(HasSubstr("%")));
    for (const char* nonsense : {"inf", "nan"}) {
        EXPECT_THAT(text, Not(HasSubstr(nonsense)));
    }
}

TEST(StudyJson, HoldsWhatTheTextSays) {
    const Json json = study_json(study_of({}, fresh_plan(1.5)));
    EXPECT_EQ(json["answer"], "regression");
    EXPECT_EQ(json["exit"], 1);
    EXPECT_EQ(json["new"]["kernels"], Json({"6.12.0"}));
    const Json& first = json["findings"][0];
    EXPECT_EQ(first["metric"], "wakeup");
    EXPECT_EQ(first["verdict"], "regressed");
    EXPECT_EQ(first["decides"], true);
    EXPECT_EQ(first["swept"], Json({1, 2, 4}));
    EXPECT_NEAR(first["effect"].get<double>(), 1.5, 0.05);
    EXPECT_LT(first["interval"][0], first["effect"]);
    EXPECT_GT(first["interval"][1], first["effect"]);
    EXPECT_EQ(first["base"].size(), 10U);
}

}  // namespace
}  // namespace bench::analysis
