#include "analysis/deterministic.h"
#include "analysis/testing/golden_handlers.h"
#include "analysis/verdict.h"

namespace bench::analysis::testing {
namespace {

Better better_of(const Json& input) {
    return input["lower_is_better"].get<bool>() ? Better::lower : Better::higher;
}

/// The comparison of a case and its judgement, by the defaults of the method.
void compared(GoldenCase& golden) {
    const Json& input = golden.input();
    ASSERT_EQ(input["K"], 1) << golden.name();
    const auto comparison =
        compare({.a = golden.numbers("a"),
                 .b = golden.numbers("b"),
                 .design = input["paired"].get<bool>() ? Design::paired : Design::unpaired},
                better_of(input), {.relative = input["rel_margin"], .floor = input["abs_floor"]});
    ASSERT_TRUE(comparison) << golden.name();
    const Judgement judgement = judge(std::vector{*comparison}).front();

    EXPECT_EQ(comparison->scale == Scale::ratio ? "ratio" : "shift", golden.expected("scale"));
    golden.check("margin_internal", comparison->margin);
    golden.check(golden.expects("effect_B_over_A") ? "effect_B_over_A" : "effect_B_minus_A",
                 comparison->effect());
    const auto interval = comparison->interval();
    golden.check_pair("ci95", interval ? std::optional(interval->low) : std::nullopt,
                      interval ? std::optional(interval->high) : std::nullopt);
    golden.check("ci_rank_k", interval ? static_cast<double>(interval->rank) : 0);
    golden.check("ci_exact_level", interval ? std::optional(interval->level) : std::nullopt);
    golden.check("p_regressed", comparison->p_regressed);
    golden.check("p_improved", comparison->p_improved);
    golden.check("p_unchanged", comparison->p_unchanged);
    golden.check_fraction("p_regressed_exact", comparison->p_regressed);
    golden.check_fraction("p_improved_exact", comparison->p_improved);
    golden.check_fraction("p_unchanged_exact", comparison->p_unchanged);
    golden.check("sd_internal", comparison->sd);
    EXPECT_EQ(verdict_text(judgement.verdict), golden.expected("verdict")) << golden.name();
    golden.check("min_reps_for_alpha", static_cast<double>(judgement.fewest));
    ASSERT_TRUE(judgement.minimum_detectable);
    golden.check("mde_factor", comparison->shown(*judgement.minimum_detectable));
    if (judgement.verdict == Verdict::inconclusive) {
        const double effect = comparison->shifts.estimate();
        golden.check("gap_internal", std::min(std::abs(effect - comparison->margin),
                                              std::abs(effect + comparison->margin)));
        ASSERT_TRUE(judgement.needs_more);
        const auto more = static_cast<double>(*judgement.needs_more);
        golden.check("reps_needed_more", more);
        golden.check("reps_needed_total", more + static_cast<double>(comparison->replications()));
    }
}

void deterministic(GoldenCase& golden) {
    const auto optional_number = [](const std::optional<bool>& flag) {
        return flag ? std::optional(*flag ? 1.0 : 0.0) : std::nullopt;
    };
    const Json& cases = golden.input()["cases"];
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const auto result = compare_deterministic(cases[i]["a"].get<std::vector<double>>(),
                                                  cases[i]["b"].get<std::vector<double>>(),
                                                  better_of(cases[i]), cases[i]["rel_margin"]);
        const std::string what = cases[i].dump();
        EXPECT_EQ(verdict_text(result.verdict), golden.expected("verdict").at(i)) << what;
        const Json& identical = golden.expected("identical").at(i);
        golden.check_value(what, identical.is_null() ? Json() : Json(identical ? 1 : 0),
                           optional_number(result.identical));
        golden.check_value(what, golden.expected("difference").at(i), result.difference);
        golden.check_value(what, golden.expected("ratio").at(i), result.ratio);
    }
    // There is nothing in the result that could hold them.
    golden.leave("p");
    golden.leave("ci95");
}

void exit_codes(GoldenCase& golden) {
    const std::map<std::string, Verdict> verdicts = {{"unchanged", Verdict::unchanged},
                                                     {"improved", Verdict::improved},
                                                     {"regressed", Verdict::regressed},
                                                     {"inconclusive", Verdict::inconclusive},
                                                     {"invalid", Verdict::invalid}};
    std::vector<double> exits;
    for (const Json& names : golden.input()["verdict_sets"]) {
        std::vector<Verdict> set;
        for (const std::string name : names) {
            set.push_back(verdicts.at(name));
        }
        exits.push_back(static_cast<double>(overall(set)));
    }
    golden.check_list("exit", exits);
}

}  // namespace

GoldenHandlers verdict_handlers() {
    return {
        {"compare", compared}, {"compare_deterministic", deterministic}, {"exit_code", exit_codes}};
}

}  // namespace bench::analysis::testing
