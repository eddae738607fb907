#include "analysis/distributions.h"
#include "analysis/multiplicity.h"
#include "analysis/planning.h"
#include "analysis/quantile_interval.h"
#include "analysis/testing/golden_handlers.h"

namespace bench::analysis::testing {
namespace {

void min_p(GoldenCase& golden) {
    for (const Json& row : golden.expected("rows")) {
        const std::uint64_t n = row["n"];
        const double paired = smallest_p(Design::paired, n);
        const double unpaired = smallest_p(Design::unpaired, n);
        golden.check_value("signed rank", fraction(row["signed_rank_min_one_sided"]), paired);
        golden.check_value("signed rank two-sided", row["signed_rank_min_two_sided"], 2 * paired);
        golden.check_value("mwu", fraction(row["mwu_min_one_sided"]), unpaired);
        golden.check_value("mwu two-sided", row["mwu_min_two_sided"], 2 * unpaired);
    }
}

void fewest(GoldenCase& golden) {
    const double alpha = golden.input()["alpha_one_sided"];
    std::vector<double> paired;
    std::vector<double> unpaired;
    for (const std::uint64_t endpoints : golden.input()["K"]) {
        paired.push_back(
            static_cast<double>(fewest_replications(Design::paired, alpha, endpoints)));
        unpaired.push_back(
            static_cast<double>(fewest_replications(Design::unpaired, alpha, endpoints)));
    }
    golden.check_list("paired", paired);
    golden.check_list("unpaired_each", unpaired);
}

void mde(GoldenCase& golden) {
    EXPECT_EQ(golden.input()["power"].get<double>(), kPower);
    std::vector<double> ratios;
    for (const Json& row : golden.input()["rows"]) {
        const Precision precision{.sd = row["sd"],
                                  .margin = row["margin"],
                                  .alpha = golden.input()["alpha_one_sided"],
                                  .endpoints = row["K"]};
        ratios.push_back(std::exp(*minimum_detectable_effect(precision, row["n"])));
    }
    golden.check_list("mde_ratio", ratios);
}

void looks(GoldenCase& golden) {
    std::vector<double> alphas;
    std::vector<double> endpoints;
    for (const Json& plan : golden.input()["looks"]) {
        alphas.push_back(alpha_per_look(golden.input()["alpha_one_sided"], plan.size()));
        endpoints.push_back(static_cast<double>(most_endpoints(alphas.back(), plan.front())));
    }
    golden.check_list("alpha_per_look", alphas);
    golden.check_list("max_K_at_first_look", endpoints);
}

void adjusted(GoldenCase& golden) {
    golden.check_list("holm", holm(golden.numbers("p")));
    golden.check_list("bh", benjamini_hochberg(golden.numbers("p")));
}

void order_statistics(GoldenCase& golden) {
    const auto as_number = [](const std::optional<std::uint64_t>& rank) {
        return rank ? std::optional(static_cast<double>(*rank)) : std::nullopt;
    };
    for (const Json& row : golden.expected("rows")) {
        const RankInterval interval =
            quantile_interval(row["n"], row["ppm"], golden.input()["alpha_each_side"]);
        const std::string what = row.dump();
        golden.check_value(what, row["lo_rank"], as_number(interval.low));
        golden.check_value(what, row["hi_rank"], as_number(interval.high));
        golden.check_value(what, row["level"], interval.level);
    }
}

void students_t(GoldenCase& golden) {
    std::vector<double> quantiles;
    for (const Json& row : golden.input()["rows"]) {
        quantiles.push_back(students_t_quantile(row["p"], row["df"]));
        EXPECT_NEAR(students_t_upper_tail(quantiles.back(), row["df"]), 1 - row["p"].get<double>(),
                    1e-9);
    }
    golden.check_list("q", quantiles);
}

void normal(GoldenCase& golden) {
    std::vector<double> probabilities;
    for (const double z : golden.numbers("z")) {
        probabilities.push_back(normal_cdf(z));
    }
    golden.check_list("cdf", probabilities);
}

}  // namespace

GoldenHandlers planning_handlers() {
    return {{"min_p_table", min_p},
            {"min_reps_for_alpha", fewest},
            {"mde", mde},
            {"alpha_per_look", looks},
            {"holm_bh", adjusted},
            {"quantile_order_ci", order_statistics},
            {"boost_students_t_quantile", students_t},
            {"boost_normal_cdf", normal}};
}

}  // namespace bench::analysis::testing
