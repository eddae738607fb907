#include <gtest/gtest.h>

#include "analysis/testing/golden_handlers.h"

/// The golden numbers were computed with exact fractions, numpy, scipy and R. Every case of the
/// file is checked, here or, for the summary of one run, in src/common.
namespace bench::analysis::testing {
namespace {

const std::set<std::string>& checked_in_common() {
    static const std::set<std::string> functions = {"summary",
                                                    "published_sd_check",
                                                    "nearest_rank_index",
                                                    "quantile_min_samples",
                                                    "quantile_or_na",
                                                    "jain"};
    return functions;
}

const GoldenHandlers& handlers() {
    static const GoldenHandlers all = [] {
        GoldenHandlers merged = rank_handlers();
        merged.merge(resampling_handlers());
        merged.merge(fairness_handlers());
        merged.merge(planning_handlers());
        merged.merge(verdict_handlers());
        return merged;
    }();
    return all;
}

std::vector<std::string> handled() {
    std::vector<std::string> functions;
    for (const auto& [function, handler] : handlers()) {
        functions.push_back(function);
    }
    return functions;
}

class GoldenFunction : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenFunction, AgreesWithEveryCase) {
    const auto cases = read_golden(BENCH_TEST_DATA_DIR);
    const auto found = cases.find(GetParam());
    ASSERT_NE(found, cases.end()) << "the file has no case of it";
    for (const Json& one : found->second) {
        GoldenCase golden(one);
        handlers().at(GetParam())(golden);
    }
}

INSTANTIATE_TEST_SUITE_P(Golden, GoldenFunction, ::testing::ValuesIn(handled()),
                         [](const auto& one) { return one.param; });

TEST(Golden, NoFunctionOfTheFileIsWithoutATest) {
    const auto golden = read_golden(BENCH_TEST_DATA_DIR);
    EXPECT_EQ(golden.size(), handlers().size() + checked_in_common().size());
    for (const auto& [function, cases] : golden) {
        EXPECT_EQ(handlers().contains(function) ? 1 : 0,
                  checked_in_common().contains(function) ? 0 : 1)
            << function;
    }
}

}  // namespace
}  // namespace bench::analysis::testing
