#include "analysis/verdict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "common/random.h"

namespace bench::analysis {
namespace {

constexpr double kResolution = 1.0 / 9007199254740992.0;  // 2^-53

double uniform(Random& random) {
    return (static_cast<double>(random.next() >> 11U) + 0.5) * kResolution;
}

double normal(Random& random) {
    return std::sqrt(-2 * std::log(uniform(random))) *
           std::cos(2 * std::numbers::pi * uniform(random));
}

std::vector<double> runs(Random& random, std::size_t count, double level, double sd) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(level * std::exp(sd * normal(random)));
    }
    return values;
}

Judgement judge_alone(std::vector<double> a, std::vector<double> b, Better better = Better::lower,
                      Margin margin = {}, Design design = Design::unpaired) {
    const auto comparison =
        compare({.a = std::move(a), .b = std::move(b), .design = design}, better, margin);
    EXPECT_TRUE(comparison);
    return judge(std::vector{*comparison}).front();
}

TEST(Verdict, DirectionDecidesNotTheSign) {
    Random random(1);
    const auto base = runs(random, 10, 100, 0.01);
    const auto more = runs(random, 10, 150, 0.01);
    EXPECT_EQ(judge_alone(base, more, Better::lower).verdict, Verdict::regressed);
    EXPECT_EQ(judge_alone(more, base, Better::lower).verdict, Verdict::improved);
    EXPECT_EQ(judge_alone(base, more, Better::higher).verdict, Verdict::improved);
    EXPECT_EQ(judge_alone(more, base, Better::higher).verdict, Verdict::regressed);
    EXPECT_FALSE(compare({.a = base, .b = more}, Better::none, {})) << "must not be judged";
}

TEST(Verdict, ThreeAgainstThreeCannotDecide) {
    const Judgement judgement = judge_alone({1, 2, 3}, {10, 11, 12});
    EXPECT_EQ(judgement.verdict, Verdict::inconclusive);
    EXPECT_TRUE(judgement.too_few);
    EXPECT_EQ(judgement.fewest, 4U);
    EXPECT_EQ(judgement.needs_more, 1U);
}

TEST(Verdict, UnequalSidesAreAccepted) {
    const Judgement judgement = judge_alone({1, 1.1}, {10, 11, 12, 10.5, 11.5, 10, 11, 12});
    EXPECT_TRUE(std::isfinite(judgement.p_regressed));
    EXPECT_EQ(judgement.verdict, Verdict::regressed) << "1/45 is below 0.025";
    EXPECT_FALSE(judgement.too_few);
}

TEST(Verdict, OneRunHasNoPrecision) {
    const Judgement judgement = judge_alone({1}, {2});
    EXPECT_EQ(judgement.verdict, Verdict::inconclusive);
    EXPECT_TRUE(judgement.too_few);
    EXPECT_EQ(judgement.minimum_detectable, std::nullopt);
    EXPECT_EQ(judgement.needs_more, std::nullopt);
}

TEST(Verdict, AZeroBaselineHasADifferenceAndNoRatio) {
    const std::vector<double> zero(10, 0.0);
    const auto comparison =
        compare({.a = zero, .b = std::vector<double>(10, 1.8e6)}, Better::lower, {});
    ASSERT_TRUE(comparison);
    EXPECT_EQ(comparison->scale, Scale::difference);
    EXPECT_EQ(comparison->ratio_of_medians(), std::nullopt);
    EXPECT_EQ(comparison->difference_of_medians(), 1.8e6);
    EXPECT_EQ(comparison->effect(), 1.8e6);
    EXPECT_EQ(judge(std::vector{*comparison}).front().verdict, Verdict::regressed);

    EXPECT_EQ(judge_alone(zero, zero).verdict, Verdict::unchanged);
    // An absolute limit decides where a share of nothing can't.
    EXPECT_EQ(judge_alone(zero, std::vector<double>(10, 1.0), Better::lower, {.floor = 2}).verdict,
              Verdict::unchanged);
}

TEST(Verdict, EqualValuesAreUnchangedWhateverTheMargin) {
    const std::vector<double> same(6, 4.0);
    EXPECT_EQ(judge_alone(same, same, Better::lower, {.relative = 0}, Design::paired).verdict,
              Verdict::unchanged);
    EXPECT_EQ(judge_alone({4}, {4}).verdict, Verdict::unchanged);
}

TEST(Verdict, HolmWeighsEndpointsTogether) {
    Random random(3);
    std::vector<Comparison> comparisons;
    for (int i = 0; i < 6; ++i) {
        const double level = i == 0 ? 120 : 100;
        comparisons.push_back(*compare({.a = runs(random, 7, 100, 0.005),
                                        .b = runs(random, 7, level, 0.005),
                                        .design = Design::paired},
                                       Better::lower, {}));
    }
    // Alone 1/128 is enough, among six it is not: eight pairs are needed.
    EXPECT_EQ(judge(std::span(comparisons).first(1)).front().verdict, Verdict::regressed);
    const Judgement among = judge(comparisons).front();
    EXPECT_EQ(among.verdict, Verdict::inconclusive);
    EXPECT_TRUE(among.lost_to_multiplicity);
    EXPECT_TRUE(among.too_few);
    EXPECT_EQ(among.fewest, 8U);
    EXPECT_EQ(among.needs_more, 1U);
}

TEST(Verdict, AnEffectAtTheMarginIsNotResolvable) {
    Random random(4);
    std::vector<double> a;
    std::vector<double> b;
    for (int i = 0; i < 10; ++i) {
        const double step = (i % 2 == 0 ? 1 : -1) * 0.02 * (i + 1);
        a.push_back(100);
        b.push_back(103 * std::exp(step));
    }
    const Judgement judgement = judge_alone(a, b, Better::lower, {}, Design::paired);
    EXPECT_EQ(judgement.verdict, Verdict::inconclusive);
    EXPECT_EQ(judgement.needs_more, std::nullopt);
}

TEST(Verdict, NoMoreThanTwoHundredMoreRunsAreAdvised) {
    // The sd at which n runs are just enough, by a precision of one.
    const double gap = 0.01;
    const auto needed = [&](double sd) {
        return replications_needed({.sd = sd, .margin = 0}, gap, 10);
    };
    double low = 0;
    double high = 1;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (needed(middle) ? low : high) = middle;
    }
    EXPECT_EQ(needed(low), 10 + 200U);
    EXPECT_EQ(needed(low * 1.001), std::nullopt);
    EXPECT_EQ(needed(0), 6U) << "fewer can't be significant";
}

TEST(Verdict, OverallPrecedence) {
    using enum Verdict;
    EXPECT_EQ(overall(std::vector{unchanged, inconclusive}), Answer::inconclusive);
    EXPECT_EQ(overall(std::vector{unchanged, inconclusive}, true), Answer::no_regression);
    EXPECT_EQ(overall(std::vector{regressed, inconclusive}, true), Answer::regression);
    EXPECT_EQ(overall(std::vector{regressed, invalid}, true), Answer::not_comparable);
    EXPECT_EQ(overall({}, true), Answer::not_comparable);
}

TEST(Verdict, AtMostTenCellsAreConfirmed) {
    std::vector<double> p(25, 0.5);
    EXPECT_TRUE(cells_to_confirm(p).empty());
    p[2] = 0.0501;
    p[3] = 0.05;
    p[20] = 0.001;
    EXPECT_EQ(cells_to_confirm(p), (std::vector<std::size_t>{3, 20}));
    for (std::size_t i = 0; i < p.size(); ++i) {
        p[i] = 0.001 * static_cast<double>(p.size() - i);
    }
    const auto chosen = cells_to_confirm(p);
    ASSERT_EQ(chosen.size(), 10U);
    EXPECT_EQ(chosen.front(), 15U);
}

// 25 client counts x 4 metrics at 10 pairs; run-to-run standard deviation 4 %.
constexpr std::size_t kCells = 25;
constexpr std::size_t kMetrics = 4;
constexpr std::size_t kPairs = 10;
constexpr double kSd = 0.04;

/// Mean log ratio over the client counts of each metric; the first metric's is `moved`.
std::vector<Verdict> simulated(std::uint64_t seed, double moved) {
    Random random(seed);
    std::vector<Comparison> primaries;
    for (std::size_t metric = 0; metric < kMetrics; ++metric) {
        Replications sweep{.a = {}, .b = {}, .design = Design::paired};
        for (std::size_t pair = 0; pair < kPairs; ++pair) {
            double a = 0;
            double b = 0;
            for (std::size_t cell = 0; cell < kCells; ++cell) {
                a += kSd * normal(random) / kCells;
                b += (kSd * normal(random) + (metric == 0 ? std::log(moved) : 0)) / kCells;
            }
            sweep.a.push_back(100 * std::exp(a));
            sweep.b.push_back(100 * std::exp(b));
        }
        primaries.push_back(*compare(sweep, Better::lower, {}));
    }
    std::vector<Verdict> verdicts;
    for (const Judgement& judgement : judge(primaries)) {
        verdicts.push_back(judgement.verdict);
    }
    return verdicts;
}

TEST(Verdict, NoChangeRaisesFewAlarmsAndAChangeIsFound) {
    constexpr std::uint64_t kSeeds = 200;
    int alarms = 0;
    int found = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const auto still = simulated(seed, 1);
        alarms += overall(still) == Answer::regression ? 1 : 0;
        const auto moved = simulated(seed + kSeeds, 1.15);
        found += moved.front() == Verdict::regressed ? 1 : 0;
    }
    EXPECT_LE(alarms, 15);
    EXPECT_GE(found, 190);
}

// Without a margin every shift counts: the test holds its error where it is hardest.
TEST(Verdict, TheErrorHoldsWithoutAMargin) {
    constexpr int kSeeds = 2000;
    int alarms = 0;
    for (int seed = 1; seed <= kSeeds; ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const auto a = runs(random, kPairs, 100, kSd);
        const auto b = runs(random, kPairs, 100, kSd);
        alarms += judge_alone(a, b, Better::lower, {.relative = 0}, Design::paired).verdict ==
                          Verdict::regressed
                      ? 1
                      : 0;
    }
    EXPECT_LE(alarms, kSeeds * 0.035);
    EXPECT_GE(alarms, kSeeds * 0.015);
}

}  // namespace
}  // namespace bench::analysis
