#include "analysis/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/testing/sides.h"

namespace bench::analysis {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::lose;
using testing::make_side;
using testing::SidePlan;

SidePlan base_plan() {
    return {};
}

SidePlan fresh_plan(double level = 1) {
    return {.label = "fresh", .kernel = "6.12.0", .boots = {"boot-b"}, .level = level, .seed = 2};
}

StudyOptions judging(const std::string& metric) {
    StudyOptions options;
    options.metrics = {metric};
    return options;
}

StudyOptions allowing(const std::string& id) {
    StudyOptions options;
    options.allow = {id};
    return options;
}

StudyOptions in_looks(std::size_t looks) {
    StudyOptions options;
    options.looks = looks;
    return options;
}

StudyOptions inconclusive_passing() {
    StudyOptions options;
    options.inconclusive_passes = true;
    return options;
}

std::vector<std::string> ids(const std::vector<Obstacle>& obstacles) {
    std::vector<std::string> names;
    for (const Obstacle& obstacle : obstacles) {
        names.push_back(obstacle.id);
    }
    return names;
}

const Finding* find(const Study& study, const std::string& metric, Statistic figure,
                    std::optional<std::int64_t> clients = std::nullopt) {
    for (const Finding& finding : study.findings) {
        const EndpointKey& key = finding.endpoint.key;
        if (key.metric == metric && key.figure == figure && key.clients == clients) {
            return &finding;
        }
    }
    return nullptr;
}

TEST(Study, FindsWhatGotWorseAndWhatDidNot) {
    const Study study = make_study(make_side(base_plan()), make_side(fresh_plan(1.2)), {});
    EXPECT_EQ(study.answer, Answer::regression);
    EXPECT_THAT(study.obstacles, IsEmpty());
    const Finding* p99 = find(study, "wakeup", Statistic::p99);
    ASSERT_NE(p99, nullptr);
    EXPECT_TRUE(p99->endpoint.primary);
    EXPECT_EQ(p99->judgement.verdict, Verdict::regressed);
    EXPECT_NEAR(p99->comparison->effect(), 1.2, 0.03);
    EXPECT_EQ(p99->endpoint.swept, (std::vector<std::int64_t>{1, 2, 4}));
    const Finding* work = find(study, "work", Statistic::p50);
    ASSERT_NE(work, nullptr);
    EXPECT_FALSE(work->endpoint.primary) << "the first two figures of the test decide";
    EXPECT_EQ(work->judgement.verdict, Verdict::unchanged);
    EXPECT_EQ(find(study, "rounds", Statistic::mean), nullptr) << "neither better nor worse";
    const Finding* cell = find(study, "wakeup", Statistic::p99, 2);
    ASSERT_NE(cell, nullptr);
    EXPECT_TRUE(cell->confirm);
    EXPECT_LT(*cell->q, 0.01);

    EXPECT_EQ(make_study(make_side(base_plan()), make_side(fresh_plan(0.8)), {}).answer,
              Answer::no_regression);
}

TEST(Study, AMetricAskedForDecidesAlone) {
    const Side base = make_side(base_plan());
    const Side fresh = make_side(fresh_plan(1.2));
    EXPECT_EQ(make_study(base, fresh, judging("work")).answer, Answer::no_regression);
    EXPECT_EQ(make_study(base, fresh, judging("nonesuch")).answer, Answer::not_comparable);
}

TEST(Study, TheSameNumbersAgainAreUnchanged) {
    const Side side = make_side(base_plan());
    EXPECT_EQ(make_study(side, side, {}).answer, Answer::no_regression);
}

TEST(Study, OneBootEachIsSaid) {
    const Study study = make_study(make_side(base_plan()), make_side(fresh_plan()), {});
    EXPECT_EQ(study.unit, Unit::launch);
    EXPECT_THAT(study.remarks, Contains(HasSubstr("one boot each")));
    // Within one boot there is nothing to say.
    SidePlan same_boot = fresh_plan();
    same_boot.boots = {"boot-a"};
    EXPECT_THAT(make_study(make_side(base_plan()), make_side(same_boot), {}).remarks,
                Not(Contains(HasSubstr("boot"))));
}

TEST(Study, EnoughBootsAreTheReplications) {
    SidePlan base = base_plan();
    SidePlan fresh = fresh_plan();
    base.boots = {"a1", "a2", "a3", "a4", "a5"};
    fresh.boots = {"b1", "b2", "b3", "b4", "b5"};
    const Study study = make_study(make_side(base), make_side(fresh), {});
    EXPECT_EQ(study.unit, Unit::boot);
    EXPECT_EQ(find(study, "wakeup", Statistic::p50)->comparison->values.a.size(), 5U);

    fresh.boots.pop_back();
    const Study fewer = make_study(make_side(base), make_side(fresh), {});
    EXPECT_EQ(fewer.unit, Unit::launch);
    EXPECT_THAT(fewer.remarks, Contains(HasSubstr("5 boots against 4 boots, 5 each")));
}

TEST(Study, PairsArePaired) {
    SidePlan base = base_plan();
    SidePlan fresh = fresh_plan(1.2);
    base.pairs = fresh.pairs = true;
    Side side = make_side(fresh);
    const Study study = make_study(make_side(base), side, {});
    EXPECT_EQ(study.design, Design::paired);
    EXPECT_EQ(study.answer, Answer::regression);
    // A lost run takes its pair with it, and the count of clients out of the sweep.
    lose(side, 2, 7);
    const Study one_less = make_study(make_side(base), side, {});
    EXPECT_EQ(find(one_less, "wakeup", Statistic::p50, 2)->comparison->values.a.size(), 9U);
    EXPECT_EQ(find(one_less, "wakeup", Statistic::p50)->endpoint.swept,
              (std::vector<std::int64_t>{1, 4}));
    EXPECT_THAT(one_less.remarks, Contains(HasSubstr("1 of 10 pairs of fresh are lost")));
    EXPECT_EQ(one_less.answer, Answer::regression);
}

TEST(Study, MoreThanAFifthLostIsInvalid) {
    Side fresh = make_side(fresh_plan());
    lose(fresh, 2, 1);
    lose(fresh, 2, 2);
    EXPECT_NE(make_study(make_side(base_plan()), fresh, {}).answer, Answer::not_comparable);
    lose(fresh, 2, 3);
    const Study study = make_study(make_side(base_plan()), fresh, {});
    EXPECT_EQ(study.answer, Answer::not_comparable);
    EXPECT_THAT(ids(study.obstacles), Contains("lost-runs"));
    EXPECT_THAT(study.obstacles.front().text, HasSubstr("it broke"));
}

TEST(Study, MissingCellsAreListedAndNotGreen) {
    SidePlan fewer = fresh_plan();
    fewer.clients = {1, 2};
    Side fresh = make_side(fewer);
    for (std::int64_t repetition = 1; repetition <= 10; ++repetition) {
        lose(fresh, 2, repetition, RowStatus::not_run);
    }
    const Side base = make_side(base_plan());
    const Study study = make_study(base, fresh, {});
    EXPECT_EQ(study.answer, Answer::not_comparable);
    ASSERT_EQ(study.obstacles.size(), 2U);
    EXPECT_THAT(study.obstacles[0].text, HasSubstr("2 clients: fresh measured nothing (not-run"));
    EXPECT_THAT(study.obstacles[1].text, HasSubstr("4 clients: fresh has no such cell"));
    const Study allowed = make_study(base, fresh, allowing("missing-cells"));
    EXPECT_EQ(allowed.answer, Answer::no_regression);
    EXPECT_EQ(allowed.allowed.size(), 2U);
}

TEST(Study, SampleCountsMustBeLike) {
    SidePlan plan = fresh_plan();
    plan.samples = 900;
    const Study study = make_study(make_side(base_plan()), make_side(plan), {});
    EXPECT_EQ(study.answer, Answer::not_comparable);
    ASSERT_THAT(ids(study.obstacles), Contains("sample-counts"));
    EXPECT_THAT(study.obstacles.front().text, HasSubstr("400 samples a run against 900"));
    plan.samples = 800;
    EXPECT_EQ(make_study(make_side(base_plan()), make_side(plan), {}).answer,
              Answer::no_regression);
}

TEST(Study, APercentileOfTooFewSamplesIsNotJudged) {
    SidePlan base = base_plan();
    SidePlan fresh = fresh_plan();
    base.samples = fresh.samples = 200;
    const Study study = make_study(make_side(base), make_side(fresh), {});
    const Finding* p99 = find(study, "wakeup", Statistic::p99);
    ASSERT_NE(p99, nullptr);
    EXPECT_FALSE(p99->comparison);
    EXPECT_THAT(study.remarks, Contains(HasSubstr("wakeup p99 is not judged")));
    EXPECT_EQ(study.answer, Answer::no_regression) << "p50 is judged";
}

TEST(Study, ThreeRunsCannotDecide) {
    SidePlan base = base_plan();
    SidePlan fresh = fresh_plan(2);
    base.repetitions = fresh.repetitions = 3;
    const Study study = make_study(make_side(base), make_side(fresh), {});
    EXPECT_EQ(study.answer, Answer::inconclusive);
    EXPECT_TRUE(study.findings.front().judgement.too_few);
    EXPECT_EQ(make_study(make_side(base), make_side(fresh), inconclusive_passing()).answer,
              Answer::no_regression);
}

TEST(Study, WhatDiffersInTheVariantAloneIsCompared) {
    SidePlan base = base_plan();
    SidePlan fresh = fresh_plan(3);
    base.variant = "policy=other";
    fresh.variant = "policy=idle";
    const Study study = make_study(make_side(base), make_side(fresh), {});
    EXPECT_EQ(study.answer, Answer::regression);
    EXPECT_THAT(study.remarks,
                Contains(HasSubstr("'policy=other' is compared with 'policy=idle'")));
}

TEST(Study, SharesHaveAFloor) {
    EXPECT_EQ(default_floor("ratio"), 0.01);
    EXPECT_EQ(default_floor("ns"), 0);
}

TEST(Study, NothingAtAllIsNotGreen) {
    EXPECT_EQ(make_study(Side{}, Side{}, {}).answer, Answer::not_comparable);
    EXPECT_EQ(make_study(make_side(base_plan()), Side{}, {}).answer, Answer::not_comparable);
}

TEST(Study, LooksShareTheError) {
    SidePlan base = base_plan();
    SidePlan fresh = fresh_plan(1.5);
    base.pairs = fresh.pairs = true;
    base.repetitions = fresh.repetitions = 7;
    const Side a = make_side(base);
    const Side b = make_side(fresh);
    EXPECT_EQ(make_study(a, b, {}).answer, Answer::regression);
    // Seven pairs reach 1/128; with four looks and two endpoints 1/320 is needed.
    EXPECT_EQ(make_study(a, b, in_looks(4)).answer, Answer::inconclusive);
}

}  // namespace
}  // namespace bench::analysis
