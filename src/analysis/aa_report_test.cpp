#include "analysis/aa_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/testing/sides.h"

namespace bench::analysis {
namespace {

using ::testing::HasSubstr;
using testing::make_side;
using ::testing::Not;
using testing::SidePlan;

std::pair<Study, AaReport> report_of(double level, std::int64_t repetitions = 10) {
    SidePlan a;
    a.repetitions = repetitions;
    a.pairs = true;
    SidePlan b = a;
    b.level = level;
    b.seed = 2;
    StudyOptions bare;
    bare.margin = 0;
    bare.floor = 0;
    Study study = make_study(make_side(a), make_side(b), {});
    const AaReport report = aa_report(study, make_study(make_side(a), make_side(b), bare));
    return {std::move(study), report};
}

TEST(AaReport, AQuietMachineGivesNoAlarm) {
    const auto [study, report] = report_of(1);
    EXPECT_TRUE(report.fit);
    EXPECT_EQ(report.alarms, 0U);
    EXPECT_GT(report.figures, 4U);
    const std::string text = aa_text(study, report);
    EXPECT_THAT(text, HasSubstr("false alarms: 0 of "));
    EXPECT_THAT(text, HasSubstr("    latt wakeup p50, load=none: "));
    EXPECT_THAT(text, Not(HasSubstr("not fit")));
}

TEST(AaReport, AnAlarmMeansUnfit) {
    const auto [study, report] = report_of(1.5);
    EXPECT_FALSE(report.fit);
    EXPECT_GT(report.alarms, 0U);
    EXPECT_GE(report.differing, report.alarms);
    EXPECT_THAT(aa_text(study, report), HasSubstr("This machine is not fit"));
}

TEST(AaReport, TooFewRunsAreNoFigure) {
    const auto [study, report] = report_of(1.5, 3);
    EXPECT_EQ(report.alarms, 0U);
    // A figure that never moved at all has a verdict with any number of runs, but no p.
    EXPECT_EQ(report.figures, 0U);
    EXPECT_THAT(aa_text(study, report), HasSubstr("0 of 0 figures"));
    EXPECT_THAT(aa_text(study, report), HasSubstr("(n/a)"));
}

}  // namespace
}  // namespace bench::analysis
