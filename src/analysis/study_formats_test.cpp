#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/study_cases.h"
#include "analysis/study_ci.h"
#include "analysis/study_csv.h"
#include "analysis/study_gbench.h"
#include "analysis/study_markdown.h"
#include "analysis/study_text.h"
#include "analysis/testing/sides.h"
#include "common/csv.h"

namespace bench::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::make_side;
using ::testing::Not;
using testing::SidePlan;

Study study_of(double level, std::int64_t repetitions = 10, const StudyOptions& options = {}) {
    const SidePlan base{.repetitions = repetitions};
    const SidePlan fresh{.label = "fresh",
                         .kernel = "6.12.0",
                         .repetitions = repetitions,
                         .boots = {"boot-b"},
                         .level = level,
                         .seed = 2};
    return make_study(make_side(base), make_side(fresh), options);
}

StudyOptions lenient() {
    StudyOptions options;
    options.inconclusive_passes = true;
    return options;
}

/// A study with one endpoint of exact values, for golden texts.
Study small_study(const std::string& variant = "load=a<b&\"c\"#1") {
    Study study;
    study.base = "old";
    study.fresh = "new";
    Finding finding;
    finding.endpoint.key = {.test = "latt",
                            .variant = variant,
                            .subject = {},
                            .metric = "wakeup",
                            .figure = Statistic::p99,
                            .sweep = true,
                            .clients = {}};
    finding.endpoint.unit = "ns";
    finding.endpoint.primary = true;
    finding.comparison = compare({.a = std::vector<double>(6, 1000),
                                  .b = std::vector<double>(6, 2000),
                                  .design = Design::paired},
                                 Better::lower, {});
    finding.judgement = judge(std::vector{*finding.comparison}).front();
    study.findings.push_back(finding);
    study.design = Design::paired;
    study.answer = Answer::regression;
    return study;
}

std::vector<CaseResult> results_of(const Study& study) {
    std::vector<CaseResult> results;
    for (const StudyCase& one : study_cases(study)) {
        results.push_back(one.result);
    }
    return results;
}

TEST(StudyCases, OnePerEndpointThatDecides) {
    using enum CaseResult;
    EXPECT_THAT(results_of(study_of(1.5)), ElementsAre(failed, failed));
    EXPECT_THAT(results_of(study_of(0.5)), ElementsAre(passed, passed));
    EXPECT_THAT(results_of(study_of(1.5, 3)), ElementsAre(failed, failed));
    EXPECT_THAT(results_of(study_of(1.5, 3, lenient())), ElementsAre(skipped, skipped));
    EXPECT_EQ(study_cases(study_of(1.5))[1].kind, "regressed");
    EXPECT_EQ(study_cases(study_of(1.5))[1].name, "wakeup p99, load=none");
}

TEST(StudyCases, WhatForbidsTheComparisonIsAnErrorOfEveryCase) {
    Study study = study_of(0.5);
    study.answer = Answer::not_comparable;
    study.obstacles = {{.id = "governor", .text = "powersave against performance"},
                       {.id = "smt", .text = "on against off"}};
    const auto cases = study_cases(study);
    ASSERT_EQ(cases.size(), 2U);
    EXPECT_EQ(cases[0].result, CaseResult::error);
    EXPECT_EQ(cases[0].kind, "governor");
    EXPECT_EQ(cases[0].text, "powersave against performance; on against off");
}

TEST(StudyCases, NothingToJudgeIsAnErrorToo) {
    const Study study;
    EXPECT_THAT(results_of(study), ElementsAre(CaseResult::error));
    EXPECT_EQ(study_cases(study)[0].text, "nothing to judge");
}

TEST(StudyJunit, IsXmlWithFailureAndReport) {
    const std::string text = study_junit(small_study());
    const std::string expected =
        R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bench compare" tests="1" failures="1" errors="0" skipped="0">
  <testsuite name="new against old" tests="1" failures="1" errors="0" skipped="0">
    <testcase classname="bench.latt" name="wakeup p99, load=a&lt;b&amp;&quot;c&quot;#1">
      <failure type="regressed" message="wakeup p99 worse by 100 % [100, 100]">wakeup p99 worse by 100 % [100, 100]</failure>
    </testcase>
    <system-out>new against old: wakeup p99 worse by 100 % [100, 100]
)";
    EXPECT_EQ(text.substr(0, expected.size()), expected);
    EXPECT_THAT(text, HasSubstr("</system-out>\n  </testsuite>\n</testsuites>\n"));
}

TEST(StudyJunit, HoldsOnlyWhatXmlMay) {
    EXPECT_EQ(xml_text("a\x1b[31m\xff<>"), "a\xEF\xBF\xBD[31m\xEF\xBF\xBD&lt;&gt;");
    EXPECT_EQ(xml_text("\xEF\xBF\xBF"), "\xEF\xBF\xBD");
    EXPECT_EQ(xml_text("µ"), "µ");
}

TEST(StudyKtap, IsVersionOneWithPlanAndResults) {
    const std::string text = study_ktap(small_study());
    EXPECT_EQ(text.substr(0, text.find('\n', 23)),
              "KTAP version 1\n1..1\n# new against old: wakeup p99 worse by 100 % [100, 100]");
    EXPECT_THAT(text,
                HasSubstr("\nnot ok 1 latt wakeup p99, load=a<b&\"c\"_1 # wakeup p99 worse by "
                          "100 % [100, 100]\n"));
    // Whatever the report holds, it is no line of the protocol.
    EXPECT_EQ(text.find("\nok "), std::string::npos);
    EXPECT_THAT(study_ktap(study_of(1.5, 3, lenient())),
                HasSubstr("\nok 2 latt wakeup p99, load=none # SKIP wakeup p99 cannot be decided"));
    EXPECT_THAT(study_ktap(Study()),
                HasSubstr("\nnot ok 1 comparison comparable # ERROR nothing to judge\n"));
}

TEST(StudyCsv, HasARecordPerFindingAndEmptyFieldsForTheUnknown) {
    Study study = small_study("=1+1");
    study.findings.push_back(study.findings[0]);
    study.findings[1].comparison.reset();
    study.findings[1].endpoint.unavailable = "too few samples";
    study.obstacles = {{.id = "smt", .text = "x"}, {.id = "cpus", .text = "y"}};
    const auto records = parse_csv(study_csv(study));
    ASSERT_TRUE(records.ok());
    ASSERT_EQ(records->size(), 3U);
    const auto field = [&](std::size_t record, const std::string& name) {
        const auto& head = (*records)[0].fields;
        const auto place = std::find(head.begin(), head.end(), name) - head.begin();
        return (*records)[record].fields.at(static_cast<std::size_t>(place));
    };
    EXPECT_EQ(field(1, "variant"), "'=1+1");
    EXPECT_EQ(field(1, "verdict"), "regressed");
    EXPECT_EQ(field(1, "base"), "1000");
    EXPECT_EQ(field(1, "effect"), "2");
    EXPECT_EQ(field(1, "p_regressed"), "0.015625");
    EXPECT_EQ(field(1, "clients"), "");
    EXPECT_EQ(field(1, "obstacles"), "smt;cpus");
    EXPECT_EQ(field(2, "verdict"), "");
    EXPECT_EQ(field(2, "unavailable"), "too few samples");
    EXPECT_EQ(field(2, "tainted"), "0");
}

TEST(StudyCsv, ShowsNoPThatCouldNeverBeSmall) {
    const std::string text = study_csv(study_of(1.5, 3));
    EXPECT_THAT(text, HasSubstr(",yes,,,,"));
}

TEST(StudyMarkdown, SaysWhatTheTextSaysInTables) {
    const std::string text = study_markdown(small_study("a|b"));
    EXPECT_EQ(text,
              "**new against old: wakeup p99 worse by 100 % \\[100, 100\\]**\n"
              "\n### latt wakeup p99, a\\|b\n\n"
              "| clients | base | new | change | 95 % interval | verdict |\n"
              "| ---: | ---: | ---: | ---: | ---: | --- |\n"
              "| all | 1.000 us | 2.000 us | +100 % | \\[+100, +100\\] % | regressed |\n");
    EXPECT_EQ(markdown_text("<script>\n*x*"), "\\<script\\> \\*x\\*");
}

TEST(StudyGbench, HasEveryRunOfBothSides) {
    const Json json = study_gbench(small_study(""));
    ASSERT_EQ(json["benchmarks"].size(), 12U);
    const Json& first = json["benchmarks"][0];
    EXPECT_EQ(first["name"], "base/latt/wakeup_p99");
    EXPECT_EQ(first["run_type"], "iteration");
    EXPECT_EQ(first["repetitions"], 6);
    EXPECT_EQ(first["repetition_index"], 0);
    EXPECT_EQ(first["real_time"], 1000.0);
    EXPECT_EQ(first["cpu_time"], 1000.0);
    EXPECT_EQ(first["time_unit"], "ns");
    EXPECT_EQ(json["benchmarks"][11]["name"], "new/latt/wakeup_p99");
    EXPECT_EQ(json["benchmarks"][11]["repetition_index"], 5);
}

TEST(StudyGbench, CallsNothingATimeThatIsNone) {
    Study study = small_study("");
    study.findings[0].endpoint.unit = "1";
    study.findings[0].endpoint.key.clients = 8;
    const Json json = study_gbench(study);
    const Json& first = json["benchmarks"][0];
    EXPECT_EQ(first["name"], "base/latt/wakeup_p99/clients:8");
    EXPECT_FALSE(first.contains("real_time"));
    EXPECT_FALSE(first.contains("time_unit"));
    EXPECT_EQ(first["value"], 1000.0);
}

}  // namespace
}  // namespace bench::analysis
