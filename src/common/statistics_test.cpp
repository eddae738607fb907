#include "common/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace bench {
namespace {

using ::testing::DoubleNear;
using ::testing::Optional;

std::vector<double> count_up(std::size_t n) {
    std::vector<double> values(n);
    std::iota(values.begin(), values.end(), 1.0);
    return values;
}

TEST(Statistics, OneValueHasNoDeviationInsteadOfZero) {
    const Summary summary = summarise(std::vector<double>{42});
    EXPECT_EQ(summary.count, 1U);
    EXPECT_EQ(summary.mean, 42);
    EXPECT_EQ(summary.stdev, std::nullopt);
    EXPECT_EQ(sample_cv(std::vector<double>{42}), std::nullopt);
}

TEST(Statistics, TheSummaryHasTheSampleDeviation) {
    const std::vector<double> pair = {0.96, 1.04};
    EXPECT_THAT(summarise(pair).stdev, Optional(DoubleNear(0.0565685, 1e-7)));
    EXPECT_THAT(population_stdev(pair), Optional(DoubleNear(0.04, 1e-12)));
    EXPECT_GT(*sample_cv(pair), 0.05) << "a 5 % noise gate must fail this pair";
    const std::vector<double> loops = {700, 710, 690, 700};
    EXPECT_THAT(sample_stdev(loops), Optional(DoubleNear(8.1650, 1e-4)));
    EXPECT_THAT(population_stdev(loops), Optional(DoubleNear(7.0711, 1e-4)));
}

TEST(Statistics, PercentilesOfSmallSamplesAreObservedValuesAtTheRightRank) {
    const std::vector<double> three = {10, 20, 30};
    EXPECT_EQ(quantile_nearest(three, 990'000), 30);
    EXPECT_NEAR(quantile_type7(three, 990'000), 29.8, 1e-12);
    EXPECT_EQ(quantile_nearest(count_up(20), 950'000), 19);
    EXPECT_NEAR(quantile_type7(count_up(20), 950'000), 19.05, 1e-12);
    EXPECT_EQ(quantile_nearest(count_up(100), 990'000), 99);
    EXPECT_NEAR(quantile_type7(count_up(100), 990'000), 99.01, 1e-12);
    EXPECT_EQ(quantile_nearest(count_up(2), 950'000), 2);
    EXPECT_NEAR(quantile_type7(count_up(2), 950'000), 1.95, 1e-12);
}

TEST(Statistics, EveryPercentileOfOneValueIsThatValue) {
    const std::vector<double> one = {7};
    for (Ppm ppm = 0; ppm <= 1'000'000; ppm += 1000) {
        EXPECT_EQ(quantile_nearest(one, ppm), 7);
        EXPECT_EQ(quantile_type7(one, ppm), 7);
    }
}

TEST(Statistics, NoPercentileLeavesTheObservedRange) {
    for (std::size_t n = 1; n <= 40; ++n) {
        const std::vector<double> values = count_up(n);
        for (Ppm ppm = 0; ppm <= 1'000'000; ppm += 5000) {
            for (const double q : {quantile_nearest(values, ppm), quantile_type7(values, ppm)}) {
                EXPECT_GE(q, values.front());
                EXPECT_LE(q, values.back());
            }
        }
        EXPECT_EQ(quantile_nearest(values, 1'000'000), values.back());
        EXPECT_EQ(quantile_type7(values, 1'000'000), values.back());
    }
}

TEST(Statistics, RanksOfHugeCountsDoNotOverflow) {
    constexpr std::uint64_t kHuge = 10'000'000'000'000'000'000U;
    EXPECT_EQ(nearest_rank(kHuge, 999'000), 9'990'000'000'000'000'000U);
    EXPECT_EQ(nearest_rank(kHuge, 1'000'000), kHuge);
}

TEST(Statistics, DurationsBeyond32BitsKeepTheirValue) {
    const std::vector<double> values = {5'000'000'000.0, 2'400'000'000'000.0};
    const Summary summary = summarise(values);
    EXPECT_EQ(summary.min, 5'000'000'000.0);
    EXPECT_EQ(summary.max, 2'400'000'000'000.0);
    EXPECT_EQ(summary.mean, 1'202'500'000'000.0);
}

TEST(Statistics, ALargeValueIsReportedAsItselfNotAsACeiling) {
    std::vector<double> values(99, 1e6);
    values.push_back(250e9);
    const Summary summary = summarise(values);
    EXPECT_EQ(summary.max, 250e9);
    EXPECT_EQ(quantile_nearest(values, 990'000), 1e6);
    EXPECT_NEAR(quantile_type7(values, 990'000), 2500.99e6, 1);
    EXPECT_EQ(summary.mean, 2.50099e9);
    EXPECT_EQ(summarise(std::vector<double>(10, 250e9)).p50, 250e9);
}

TEST(Statistics, NoValuesGiveACountOfZeroAndNothingElse) {
    const Summary summary = summarise({});
    EXPECT_EQ(summary.count, 0U);
    for (const Statistic statistic :
         {Statistic::mean, Statistic::stdev, Statistic::min, Statistic::p50, Statistic::p90,
          Statistic::p95, Statistic::p99, Statistic::p999, Statistic::max}) {
        EXPECT_EQ(summary.get(statistic), std::nullopt);
    }
    EXPECT_EQ(summary.get(Statistic::count), 0.0);
    EXPECT_EQ(mean({}), std::nullopt);
    EXPECT_EQ(population_stdev({}), std::nullopt);
    EXPECT_EQ(jain_index({}), std::nullopt);
}

TEST(Statistics, PercentilesAppearWithTheSamplesTheyNeed) {
    const auto has = [](std::size_t n, Statistic statistic) {
        return summarise(count_up(n)).get(statistic).has_value();
    };
    EXPECT_FALSE(has(4, Statistic::p50));
    EXPECT_TRUE(has(5, Statistic::p50));
    EXPECT_FALSE(has(28, Statistic::p90));
    EXPECT_TRUE(has(29, Statistic::p90));
    EXPECT_FALSE(has(58, Statistic::p95));
    EXPECT_TRUE(has(59, Statistic::p95));
    EXPECT_FALSE(has(298, Statistic::p99));
    EXPECT_TRUE(has(299, Statistic::p99));
    EXPECT_FALSE(has(2994, Statistic::p999));
    EXPECT_TRUE(has(2995, Statistic::p999));
    EXPECT_EQ(summarise(count_up(3000)).p999, 2997);
    EXPECT_EQ(summarise(count_up(3000)).get(Statistic::p99), 2970);
}

TEST(Statistics, NoNumberOfSamplesIsEnoughForTheHundredthPercentile) {
    EXPECT_EQ(quantile_availability(1'000'000'000, 1'000'000), Availability::not_available);
}

TEST(Statistics, TheMeanOfEqualValuesIsThatValue) {
    const std::vector<double> tenths(7, 0.1);
    EXPECT_EQ(mean(tenths), 0.1);
    EXPECT_EQ(sample_stdev(tenths), 0.0);
}

TEST(Statistics, TheOrderOfValuesDoesNotMatter) {
    EXPECT_EQ(summarise(std::vector<double>{3, 1, 2, 5, 4}).p50, 3);
    EXPECT_EQ(summarise(std::vector<double>{3, 1, 2, 5, 4}).min, 1);
}

}  // namespace
}  // namespace bench
