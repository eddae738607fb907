#include "analysis/study_explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/midranks.h"
#include "analysis/study_words.h"

namespace bench::analysis {

namespace {

std::string p_text(double p) {
    return p < 0.001 ? fmt::format("{:.1e}", p) : fmt::format("{:.4f}", p);
}

/// A size on the scale of the tests: "3 %", "1.2 ms".
std::string size_text(const Comparison& comparison, double size, const std::string& unit) {
    const double shown = comparison.shown(size);
    return comparison.scale == Scale::ratio ? fmt::format("{:.3g} %", (shown - 1) * 100)
                                            : value_text(shown, unit);
}

std::string runs_text(const Study& study, const Comparison& comparison) {
    const auto& values = comparison.values;
    const char* each =
        study.unit == Unit::boot ? "the median of each boot's launches" : "one value a launch";
    if (values.design == Design::paired) {
        return fmt::format("{} pairs, {}", values.a.size(), each);
    }
    return fmt::format("{} of base, {} of new, not paired; {}", values.a.size(), values.b.size(),
                       each);
}

std::string effect_text(const Comparison& comparison, const std::string& unit) {
    const bool paired = comparison.values.design == Design::paired;
    const auto interval = comparison.interval();
    return fmt::format("{}, the median of {} {} ({}); {}", change_text(comparison, unit),
                       comparison.shifts.sorted().size(),
                       paired ? "means of two pairs"
                              : "pairs of a new and a "
                                "base run",
                       comparison.scale == Scale::ratio ? "on logarithms" : "as differences",
                       interval
                           ? fmt::format("{} covers it with {:.1f} %",
                                         interval_text(comparison, unit), interval->level * 100)
                           : "too few runs for an interval");
}

/// Where a p stands among those judged with it, as Holm counts: "2nd smallest of 4, so times 3".
std::string holm_text(double p, double adjusted, const std::vector<double>& all) {
    if (all.size() < 2) {
        return fmt::format("p = {}", p_text(p));
    }
    const auto rank = static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [=](double other) { return other < p; }));
    const double times = static_cast<double>(all.size() - rank);
    const bool raised = adjusted > std::min(1.0, p * times) * (1 + 1e-9);
    return fmt::format("p = {}, number {} of {} by size, times {:.0f} (Holm) = {}{}", p_text(p),
                       rank + 1, all.size(), times, p_text(adjusted),
                       raised ? ", no less than the one before it" : "");
}

const char* yes_or_no(bool yes) {
    return yes ? "yes" : "no";
}

/// A p that gives ties their mean rank: for readers who are used to it, and for nothing else.
std::string two_sided_text(const Comparison& comparison) {
    const auto& values = comparison.values;
    std::vector<double> a = values.a;
    std::vector<double> b = values.b;
    if (comparison.scale == Scale::ratio) {
        for (auto* side : {&a, &b}) {
            std::transform(side->begin(), side->end(), side->begin(),
                           [](double value) { return std::log(value); });
        }
    }
    std::optional<RankTest> test;
    if (values.design == Design::paired) {
        std::transform(b.begin(), b.end(), a.begin(), b.begin(), std::minus<>());
        test = signed_rank_midranks(b);
    } else {
        test = mann_whitney_midranks(a, b);
    }
    return test
               ? fmt::format("two-sided p = {} that base and new are the same (it decides nothing)",
                             p_text(test->p_two_sided))
               : fmt::format("no two-sided p: more than {} runs", kMostMidranks);
}

/// The p values of all endpoints that decide, one direction.
std::vector<double> family(const Study& study, double Comparison::*p) {
    std::vector<double> all;
    for (const Finding& finding : study.findings) {
        if (finding.endpoint.primary && finding.comparison) {
            all.push_back((*finding.comparison).*p);
        }
    }
    return all;
}

std::string questions_text(const Study& study, const Finding& finding) {
    const Comparison& comparison = *finding.comparison;
    const Judgement& judgement = finding.judgement;
    if (judgement.too_few) {
        return fmt::format(
            "  questions  not asked: with so few runs no p can be {:.4g} or less; it takes {} {}\n",
            study.alpha, judgement.fewest, replications_text(study));
    }
    std::string text = fmt::format("  worse by more than the margin?   {}: {}\n",
                                   holm_text(comparison.p_regressed, judgement.p_regressed,
                                             family(study, &Comparison::p_regressed)),
                                   yes_or_no(judgement.p_regressed <= study.alpha));
    text += fmt::format("  better by more than the margin?  {}: {}\n",
                        holm_text(comparison.p_improved, judgement.p_improved,
                                  family(study, &Comparison::p_improved)),
                        yes_or_no(judgement.p_improved <= study.alpha));
    text +=
        fmt::format("  within the margin?               p = {}, not adjusted: {}\n",
                    p_text(judgement.p_unchanged), yes_or_no(judgement.p_unchanged <= study.alpha));
    return text;
}

std::string finding_text(const Study& study, const Finding& finding) {
    std::string text = fmt::format("\n{}\n", endpoint_title(finding.endpoint.key));
    if (!finding.comparison) {
        return text + fmt::format("  not judged: {}\n", finding.endpoint.unavailable);
    }
    const Comparison& comparison = *finding.comparison;
    const std::string& unit = finding.endpoint.unit;
    text += fmt::format("  runs       {}\n", runs_text(study, comparison));
    text += fmt::format("  change     {}\n", effect_text(comparison, unit));
    text += fmt::format("  margin     {}, {} is better\n",
                        size_text(comparison, comparison.margin, unit),
                        better_text(finding.endpoint.better));
    text += questions_text(study, finding);
    text += fmt::format("  verdict    {}\n", verdict_clause(study, finding));
    if (finding.judgement.minimum_detectable) {
        text += fmt::format("  would find a change of {} or more in 4 of 5 such comparisons\n",
                            size_text(comparison, *finding.judgement.minimum_detectable, unit));
    }
    if (!finding.judgement.too_few) {
        text += fmt::format("  aside      {}\n", two_sided_text(comparison));
    }
    return text;
}

}  // namespace

std::string study_explanation(const Study& study) {
    std::string text = fmt::format(
        "How the verdicts came about\n\n"
        "A verdict may be wrong with a chance of {:.3g} % in each direction, over all figures that "
        "decide{}.\n"
        "A question is answered with yes when its p is at most {:.4g}; the first yes is the "
        "verdict, none is undecided.\n",
        kAlpha * 100,
        study.looks > 1 ? fmt::format(" and all {} planned looks, which share it", study.looks)
                        : std::string(),
        study.alpha);
    for (const Finding& finding : study.findings) {
        if (finding.endpoint.primary) {
            text += finding_text(study, finding);
        }
    }
    return text;
}

}  // namespace bench::analysis
