#include "analysis/verdict.h"

#include <algorithm>
#include <numeric>

#include "analysis/multiplicity.h"

namespace bench::analysis {

namespace {

constexpr double kScreeningLimit = 0.05;
constexpr std::size_t kMostConfirmed = 10;

bool beyond_margin(const Comparison& comparison) {
    const auto interval = comparison.shifts.interval(kAlpha);
    return interval && (interval->low > comparison.margin || interval->high < -comparison.margin);
}

Verdict decide(const Judgement& judgement, const Comparison& comparison, double alpha) {
    if (judgement.p_regressed <= alpha) {
        return Verdict::regressed;
    }
    if (judgement.p_improved <= alpha) {
        return Verdict::improved;
    }
    // Runs that agree to the last digit cannot have changed, however few they are.
    if (judgement.p_unchanged <= alpha || comparison.shifts.all_zero()) {
        return Verdict::unchanged;
    }
    return Verdict::inconclusive;
}

Judgement judge_one(const Comparison& comparison, double p_regressed, double p_improved,
                    double alpha, std::size_t endpoints) {
    Judgement judgement;
    judgement.p_regressed = p_regressed;
    judgement.p_improved = p_improved;
    judgement.p_unchanged = comparison.p_unchanged;
    judgement.verdict = decide(judgement, comparison, alpha);
    const Design design = comparison.values.design;
    judgement.fewest = fewest_replications(design, alpha, endpoints);
    // By what these runs could reach at most, for the two sides may differ in number.
    judgement.too_few = comparison.shifts.null().upper_tail(comparison.shifts.null().max()) *
                            static_cast<double>(endpoints) >
                        alpha;
    if (!comparison.sd) {
        return judgement;
    }
    const Precision precision{.sd = *comparison.sd,
                              .margin = comparison.margin,
                              .alpha = alpha,
                              .endpoints = endpoints,
                              .design = design};
    const std::uint64_t have = comparison.replications();
    judgement.minimum_detectable = minimum_detectable_effect(precision, have);
    if (judgement.verdict == Verdict::inconclusive) {
        judgement.lost_to_multiplicity = endpoints > 1 && beyond_margin(comparison);
        const auto needed = replications_needed(precision, comparison.shifts.estimate(), have);
        if (needed) {
            // A plan that has them already was unlucky: one more is the least there is.
            judgement.needs_more = std::max(*needed, have + 1) - have;
        }
    }
    return judgement;
}

}  // namespace

std::string_view verdict_text(Verdict verdict) {
    switch (verdict) {
        case Verdict::unchanged:
            return "unchanged";
        case Verdict::improved:
            return "improved";
        case Verdict::regressed:
            return "regressed";
        case Verdict::inconclusive:
            return "inconclusive";
        case Verdict::invalid:
            break;
    }
    return "invalid";
}

std::vector<Judgement> judge(std::span<const Comparison> comparisons, double alpha) {
    std::vector<double> regressed;
    std::vector<double> improved;
    for (const Comparison& comparison : comparisons) {
        regressed.push_back(comparison.p_regressed);
        improved.push_back(comparison.p_improved);
    }
    regressed = holm(regressed);
    improved = holm(improved);
    std::vector<Judgement> judgements;
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
        judgements.push_back(
            judge_one(comparisons[i], regressed[i], improved[i], alpha, comparisons.size()));
    }
    return judgements;
}

Answer overall(std::span<const Verdict> verdicts, bool inconclusive_passes) {
    const auto any = [&](Verdict verdict) {
        return std::find(verdicts.begin(), verdicts.end(), verdict) != verdicts.end();
    };
    if (verdicts.empty() || any(Verdict::invalid)) {
        return Answer::not_comparable;
    }
    if (any(Verdict::regressed)) {
        return Answer::regression;
    }
    if (any(Verdict::inconclusive) && !inconclusive_passes) {
        return Answer::inconclusive;
    }
    return Answer::no_regression;
}

std::vector<std::size_t> cells_to_confirm(std::span<const double> p_regressed) {
    std::vector<std::size_t> order(p_regressed.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
        return p_regressed[left] < p_regressed[right];
    });
    std::vector<std::size_t> chosen;
    for (const std::size_t cell : order) {
        if (p_regressed[cell] <= kScreeningLimit && chosen.size() < kMostConfirmed) {
            chosen.push_back(cell);
        }
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

}  // namespace bench::analysis
