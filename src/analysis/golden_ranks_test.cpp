#include "analysis/midranks.h"
#include "analysis/permutation.h"
#include "analysis/rank_null.h"
#include "analysis/shifts.h"
#include "analysis/testing/golden_handlers.h"

namespace bench::analysis::testing {
namespace {

constexpr double kTail = 0.025;

void check_interval(GoldenCase& golden, const std::optional<Interval>& interval) {
    golden.check_pair("ci95", interval ? std::optional(interval->low) : std::nullopt,
                      interval ? std::optional(interval->high) : std::nullopt);
    golden.check("ci_rank_k", interval ? static_cast<double>(interval->rank) : 0);
    golden.check("ci_level", interval ? std::optional(interval->level) : std::nullopt);
}

/// Without ties and zeros the counted and the midrank test are one.
void check_untied(GoldenCase& golden, const char* statistic, const Shifts& shifts,
                  const std::optional<RankTest>& midranks) {
    ASSERT_TRUE(midranks);
    golden.check(statistic, static_cast<double>(shifts.count_above(0)));
    golden.check(statistic, midranks->statistic);
    golden.check("p_greater", shifts.p_above(0));
    golden.check("p_greater", midranks->p_greater);
    golden.check("p_less", shifts.p_below(0));
    golden.check("p_less", midranks->p_less);
    golden.check("p_two_sided", midranks->p_two_sided);
    golden.check_fraction("p_two_sided_exact", midranks->p_two_sided);
    check_interval(golden, shifts.interval(kTail));
}

void mwu_exact(GoldenCase& golden) {
    const auto a = golden.numbers("a");
    const auto b = golden.numbers("b");
    const Shifts shifts = Shifts::of_samples(a, b);
    check_untied(golden, "u_b", shifts, mann_whitney_midranks(a, b));
    golden.check("hl_shift_b_minus_a", shifts.estimate());
}

void check_strict(GoldenCase& golden, const Shifts& shifts) {
    golden.check("strict_count_greater", static_cast<double>(shifts.count_above(0)));
    golden.check("strict_count_less", static_cast<double>(shifts.count_below(0)));
    golden.check("p_greater_strict", shifts.p_above(0));
    golden.check("p_less_strict", shifts.p_below(0));
}

void check_midranks(GoldenCase& golden, const char* statistic, const RankTest& test) {
    golden.check(statistic, test.statistic);
    golden.check("p_less", test.p_less);
    golden.check("p_greater", test.p_greater);
    golden.check("p_two_sided", test.p_two_sided);
}

void mwu_midrank(GoldenCase& golden) {
    const auto a = golden.numbers("a");
    const auto b = golden.numbers("b");
    const auto test = mann_whitney_midranks(a, b);
    ASSERT_TRUE(test);
    check_midranks(golden, "u_b", *test);
    golden.check_fraction("p_two_sided_exact", test->p_two_sided);
    check_strict(golden, Shifts::of_samples(a, b));
    if (golden.expects("p_two_sided_asymptotic_tiecorr_cc")) {
        golden.check("p_two_sided_asymptotic_tiecorr_cc", mann_whitney_asymptotic(a, b));
    } else {
        EXPECT_EQ(mann_whitney_asymptotic(a, b), std::nullopt) << golden.name();
    }
}

void mwu_asymptotic(GoldenCase& golden) {
    const auto a = golden.numbers("a");
    const auto b = golden.numbers("b");
    golden.check("u_b", mann_whitney_midranks(a, b)->statistic);
    golden.check("p_two_sided", mann_whitney_asymptotic(a, b));
    golden.check("hl_shift_b_minus_a", Shifts::of_samples(a, b).estimate());
}

/// Pairs as blocks of one and one.
std::vector<Block> sign_flips(const std::vector<double>& differences) {
    std::vector<Block> blocks;
    for (const double d : differences) {
        blocks.push_back({.a = {0}, .b = {d}});
    }
    return blocks;
}

void signed_rank(GoldenCase& golden) {
    const auto d = golden.numbers("d");
    const Shifts shifts = Shifts::of_pairs(d);
    check_untied(golden, "w_plus", shifts, signed_rank_midranks(d));
    golden.check("hl", shifts.estimate());

    const PermutationTest flips = permute_means(sign_flips(d), 1);
    const Json& expected = golden.expected("signflip_mean");
    golden.check_value("sign flips p_less", expected["p_less"], flips.p_less);
    golden.check_value("sign flips p_greater", expected["p_greater"], flips.p_greater);
    golden.check_value("sign flips two-sided", expected["p_two_sided"], flips.p_two_sided);
    golden.check_value("sign flips exact", fraction(expected["p_two_sided_exact"]),
                       flips.p_two_sided);

    const auto interval = subset_mean_interval(d, kTail, 1);
    const Json& subsets = golden.expected("subset_mean_ci95");
    golden.check_value("subsets k", subsets["k"],
                       interval ? static_cast<double>(interval->rank) : 0);
    golden.check_value("subsets lo", subsets["lo"],
                       interval ? std::optional(interval->low) : std::nullopt);
    golden.check_value("subsets hi", subsets["hi"],
                       interval ? std::optional(interval->high) : std::nullopt);
    golden.check_value("subsets level", subsets["level"],
                       interval ? std::optional(interval->level) : std::nullopt);
}

void signed_rank_midrank(GoldenCase& golden) {
    const auto d = golden.numbers("d");
    const auto test = signed_rank_midranks(d);
    ASSERT_TRUE(test);
    check_midranks(golden, "w_plus", *test);
    golden.check("n_nonzero", static_cast<double>(d.size() - static_cast<std::size_t>(std::count(
                                                                 d.begin(), d.end(), 0.0))));
    const Shifts shifts = Shifts::of_pairs(d);
    check_strict(golden, shifts);
    const auto interval = shifts.interval(kTail);
    golden.check_pair("ci95_strict", interval->low, interval->high);
    golden.check("signflip_mean_two_sided", permute_means(sign_flips(d), 1).p_two_sided);
}

void check_rank(GoldenCase& golden, const Json& row, const char* k_field, const char* level_field,
                const RankNull& null) {
    const std::size_t k = null.interval_rank(golden.input()["alpha_one_sided"]);
    golden.check_value(k_field, row[k_field], static_cast<double>(k));
    golden.check_value(level_field, row[level_field],
                       k == 0 ? std::nullopt : std::optional(1 - 2 * null.lower_tail(k - 1)));
}

void ci_rank(GoldenCase& golden) {
    for (const Json& row : golden.expected("rows")) {
        const std::size_t n = row["n"];
        check_rank(golden, row, "k_signed_rank", "level", RankNull::signed_rank(n));
        check_rank(golden, row, "k_mwu_n_n", "level_mwu", RankNull::mann_whitney(n, n));
    }
}

}  // namespace

GoldenHandlers rank_handlers() {
    return {{"mwu_exact", mwu_exact},
            {"mwu_exact_midrank", mwu_midrank},
            {"mwu_asymptotic", mwu_asymptotic},
            {"signed_rank_exact", signed_rank},
            {"signed_rank_exact_midrank", signed_rank_midrank},
            {"ci_rank_index", ci_rank}};
}

}  // namespace bench::analysis::testing
