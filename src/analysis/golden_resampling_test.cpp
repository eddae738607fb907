#include <algorithm>

#include "analysis/bootstrap.h"
#include "analysis/clusters.h"
#include "analysis/expected_interval.h"
#include "analysis/permutation.h"
#include "analysis/testing/golden_handlers.h"
#include "analysis/welch.h"
#include "common/statistics.h"

namespace bench::analysis::testing {
namespace {

constexpr double kTail = 0.025;

double statistic_of(const std::string& name, const std::vector<double>& values,
                    std::span<const std::size_t> places) {
    std::vector<double> drawn;
    for (const std::size_t place : places) {
        drawn.push_back(values[place]);
    }
    std::sort(drawn.begin(), drawn.end());
    return name == "median" ? quantile_type7(drawn, 500'000) : *mean(drawn);
}

void check_range(GoldenCase& golden, const std::string& field, double got) {
    const Json& range = golden.expected(field);
    EXPECT_GE(got, range.at(0).get<double>() - 1e-9) << golden.name() << " " << field;
    EXPECT_LE(got, range.at(1).get<double>() + 1e-9) << golden.name() << " " << field;
}

std::vector<std::size_t> each_once(std::size_t n) {
    std::vector<std::size_t> places(n);
    for (std::size_t i = 0; i < n; ++i) {
        places[i] = i;
    }
    return places;
}

void bootstrap_ci(GoldenCase& golden) {
    const auto x = golden.numbers("x");
    const std::string name = golden.input()["statistic"];
    const auto statistic = [&](std::span<const std::size_t> places) {
        return statistic_of(name, x, places);
    };
    golden.check("estimate", statistic(each_once(x.size())));
    const std::uint64_t seed = bootstrap_seed("golden", golden.name());
    const auto plain = bootstrap(x.size(), statistic, kTail, seed, golden.input()["B"]);
    const auto wide =
        bootstrap(x.size(), statistic, expanded_tail(x.size(), kTail), seed, golden.input()["B"]);
    ASSERT_TRUE(plain && wide);
    check_range(golden, "percentile95_mc_lo_range", plain->low);
    check_range(golden, "percentile95_mc_hi_range", plain->high);
    check_range(golden, "expanded95_mc_lo_range", wide->low);
    check_range(golden, "expanded95_mc_hi_range", wide->high);
    // The limits of infinitely many resamples lie in these ranges; BCa is a method we do not have.
    for (const char* other : {"percentile95_ideal", "expanded95_ideal", "boot_se_ideal", "bca_z0",
                              "bca_a", "bca_tail_probs", "bca95_ideal"}) {
        golden.leave(other);
    }
}

void bootstrap_many(GoldenCase& golden) {
    const auto x = golden.numbers("x");
    const auto interval = bootstrap(
        x.size(),
        [&](std::span<const std::size_t> places) { return statistic_of("mean", x, places); }, kTail,
        bootstrap_seed("golden", golden.name()), golden.input()["B"]);
    ASSERT_TRUE(interval);
    golden.check_pair("percentile95", interval->low, interval->high);
}

void bootstrap_pairs(GoldenCase& golden) {
    const auto a = golden.numbers("a");
    const auto b = golden.numbers("b");
    const auto ratio = [&](std::span<const std::size_t> places) {
        return statistic_of("mean", b, places) / statistic_of("mean", a, places);
    };
    EXPECT_NEAR(ratio(each_once(a.size())), golden.expected("estimate").get<double>(), 1e-12);
    const std::uint64_t seed = bootstrap_seed("golden", golden.name());
    const auto plain = bootstrap(a.size(), ratio, kTail, seed, golden.input()["B"]);
    ASSERT_TRUE(plain);
    check_range(golden, "percentile95_mc_lo_range", plain->low);
    check_range(golden, "percentile95_mc_hi_range", plain->high);
    const auto wide =
        bootstrap(a.size(), ratio, expanded_tail(a.size(), kTail), seed, golden.input()["B"]);
    ASSERT_TRUE(wide);
    EXPECT_LT(wide->low, plain->low);
    EXPECT_GT(wide->high, plain->high);
    golden.leave("percentile95_ideal");
    golden.leave("expanded95_ideal");
}

void expanded(GoldenCase& golden) {
    for (const Json& row : golden.expected("rows")) {
        golden.check_value("n " + row["n"].dump(), row["alpha_half_expanded"],
                           expanded_tail(row["n"], golden.input()["alpha_half"]));
    }
}

void check_permutation(GoldenCase& golden, const PermutationTest& test) {
    golden.check("p_less", test.p_less);
    golden.check("p_greater", test.p_greater);
    golden.check("p_two_sided_abs", test.p_two_sided);
    golden.check("assignments", static_cast<double>(test.assignments));
    EXPECT_TRUE(test.exact) << golden.name();
}

void two_sample_mean(GoldenCase& golden) {
    const Block block{.a = golden.numbers("a"), .b = golden.numbers("b")};
    const PermutationTest test = permute_means(std::vector{block}, 1);
    check_permutation(golden, test);
    golden.check("diff_b_minus_a", test.statistic);
    golden.check_fraction("p_two_sided_exact", test.p_two_sided);
}

void block_mean(GoldenCase& golden) {
    std::vector<Block> blocks;
    for (const Json& block : golden.input()["blocks"]) {
        blocks.push_back({.a = block["a"], .b = block["b"]});
    }
    const PermutationTest test = permute_means(blocks, 1);
    check_permutation(golden, test);
    if (golden.expects("statistic_sum_of_block_differences")) {
        golden.check("statistic_sum_of_block_differences", test.statistic);
    }
    if (golden.expects("p_greater_exact")) {
        golden.check_fraction("p_greater_exact", test.p_greater);
    }
}

void step_down(GoldenCase& golden) {
    const MaxT result = max_t(golden.input()["d"].get<std::vector<std::vector<double>>>(), 1);
    golden.check_list("abs_t", result.abs_t);
    golden.check_list("p_raw", result.p_raw);
    golden.check_list("p_single_step", result.p_single_step);
    golden.check_list("p_step_down", result.p_step_down);
    golden.check("flips", static_cast<double>(result.flips));
}

void welch_t(GoldenCase& golden) {
    const auto result = welch(golden.numbers("a"), golden.numbers("b"));
    if (golden.expects("error")) {
        golden.leave("error");
        EXPECT_FALSE(result) << golden.name();
        return;
    }
    ASSERT_TRUE(result);
    golden.check("t", result->t);
    golden.check("df", result->df);
    golden.check("p_two_sided", result->p_two_sided);
    golden.check("mean_diff_a_minus_b", result->difference);
    golden.check_pair("ci95", result->low, result->high);
}

void clusters(GoldenCase& golden) {
    const auto result =
        cluster_effect(golden.input()["runs"].get<std::vector<std::vector<double>>>());
    ASSERT_TRUE(result);
    golden.check("ms_between", result->ms_between);
    golden.check("ms_within", result->ms_within);
    golden.check("icc", result->icc);
    golden.check("design_effect", result->design_effect);
    golden.check("n_effective", result->effective);
}

void interval_fill(GoldenCase& golden) {
    auto raw = golden.numbers("x");
    const auto filled = fill_expected_interval(raw, golden.input()["expected_interval"]);
    golden.check_list("sorted", filled);
    golden.check("n", static_cast<double>(filled.size()));
    golden.check("p50_nearest", quantile_nearest(filled, 500'000));
    std::sort(raw.begin(), raw.end());
    golden.check("raw_p50_nearest", quantile_nearest(raw, 500'000));
}

}  // namespace

GoldenHandlers resampling_handlers() {
    return {{"bootstrap_ci", bootstrap_ci},
            {"bootstrap_ci_mc", bootstrap_many},
            {"bootstrap_ci_paired_ratio", bootstrap_pairs},
            {"expanded_tail", expanded},
            {"perm_two_sample_mean", two_sample_mean},
            {"block_permutation_mean", block_mean},
            {"max_t_signflip", step_down},
            {"welch_t", welch_t},
            {"icc_design_effect", clusters},
            {"coordinated_omission_fill", interval_fill}};
}

}  // namespace bench::analysis::testing
