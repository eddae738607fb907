#include "analysis/study_explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/testing/sides.h"

namespace bench::analysis {
namespace {

using ::testing::HasSubstr;
using testing::make_side;
using ::testing::Not;
using testing::SidePlan;

Study study_of(double level, std::int64_t repetitions, std::size_t looks, bool pairs = false) {
    SidePlan base;
    base.repetitions = repetitions;
    base.pairs = pairs;
    SidePlan fresh = base;
    fresh.label = "fresh";
    fresh.level = level;
    fresh.seed = 2;
    StudyOptions options;
    options.looks = looks;
    return make_study(make_side(base), make_side(fresh), options);
}

TEST(StudyExplanation, NamesEveryNumberBehindAVerdict) {
    const Study study = study_of(1.5, 10, 1);
    const std::string text = study_explanation(study);
    EXPECT_THAT(text, HasSubstr("a chance of 2.5 % in each direction"));
    EXPECT_THAT(text, HasSubstr("at most 0.025;"));
    EXPECT_THAT(text, HasSubstr("\nlatt wakeup p50, load=none\n"));
    EXPECT_THAT(text, HasSubstr("10 of base, 10 of new, not paired"));
    EXPECT_THAT(text, HasSubstr("the median of 100 pairs of a new and a base run"));
    EXPECT_THAT(text, HasSubstr("margin     3 %, lower is better"));
    // 1/C(20, 10) = 5.4e-06, among two endpoints.
    EXPECT_THAT(text, HasSubstr("p = 5.4e-06, number 1 of 2 by size, times 2 (Holm) = 1.1e-05"));
    EXPECT_THAT(text, HasSubstr("verdict    wakeup p50 worse by"));
    EXPECT_THAT(text, HasSubstr("two-sided p = 1.1e-05"));
    EXPECT_THAT(text, Not(HasSubstr("work")));
}

TEST(StudyExplanation, TellsOfPairsAndLooks) {
    const std::string text = study_explanation(study_of(1, 10, 2, true));
    EXPECT_THAT(text, HasSubstr("and all 2 planned looks, which share it"));
    EXPECT_THAT(text, HasSubstr("at most 0.0125;"));
    EXPECT_THAT(text, HasSubstr("10 pairs, one value a launch"));
    EXPECT_THAT(text, HasSubstr("the median of 55 means of two pairs"));
}

TEST(StudyExplanation, ShowsNoPOfTooFewRuns) {
    const std::string text = study_explanation(study_of(1.5, 3, 1));
    EXPECT_THAT(text, HasSubstr("not asked: with so few runs no p can be 0.025 or less; it takes "
                                "5 runs a side"));
    EXPECT_THAT(text, Not(HasSubstr("p = ")));
}

}  // namespace
}  // namespace bench::analysis
