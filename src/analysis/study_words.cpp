#include "analysis/study_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/units.h"

namespace bench::analysis {

namespace {

std::string percent(double ratio) {
    const double change = (ratio - 1) * 100;
    // What is left of a rounded logarithm is no change.
    return fmt::format("{:+.3g}", std::abs(change) < 1e-9 ? 0.0 : change);
}

/// A difference with its sign.
std::string signed_value(double value, const std::string& unit) {
    return (value < 0 ? "-" : "+") + value_text(std::abs(value), unit);
}

/// The size of a change whose direction a word tells, and its interval: "18 % [11, 26]".
std::string size_of_change(const Comparison& comparison, const std::string& unit) {
    const bool ratio = comparison.scale == Scale::ratio;
    const double still = ratio ? 1 : 0;
    const double sign = comparison.effect() < still ? -1 : 1;
    const auto text = [&](double effect) {
        const double size = sign * (effect - still);
        return ratio ? fmt::format("{:.3g}", size * 100) : value_text(size, unit);
    };
    std::string size = text(comparison.effect()) + (ratio ? " %" : "");
    const auto interval = comparison.interval();
    if (!interval) {
        return size;
    }
    return fmt::format("{} [{}, {}]", size, text(sign > 0 ? interval->low : interval->high),
                       text(sign > 0 ? interval->high : interval->low));
}

std::string undecided(const Study& study, const Finding& finding) {
    const Judgement& judgement = finding.judgement;
    const std::string unit = replications_text(study);
    if (judgement.too_few) {
        return fmt::format("cannot be decided: needs at least {} {}", judgement.fewest, unit);
    }
    const std::string interval = interval_text(*finding.comparison, finding.endpoint.unit);
    const std::string why =
        judgement.lost_to_multiplicity ? ", beyond the margin but not surely enough" : "";
    if (!judgement.needs_more) {
        return fmt::format("undecided {}{}: not resolvable, the effect sits at the margin",
                           interval, why);
    }
    return fmt::format("undecided {}{}: about {} more {}", interval, why, *judgement.needs_more,
                       unit);
}

}  // namespace

std::string figure_name(const EndpointKey& key) {
    const std::string_view figure = key.figure == Statistic::p50   ? " p50"
                                    : key.figure == Statistic::p99 ? " p99"
                                                                   : "";
    return fmt::format("{}{}{}", key.metric, figure,
                       key.subject.empty() ? std::string() : " of " + key.subject);
}

std::string endpoint_title(const EndpointKey& key) {
    return fmt::format("{} {}{}", key.test, figure_name(key),
                       key.variant.empty() ? std::string() : ", " + key.variant);
}

std::string_view figure_text(Statistic figure) {
    switch (figure) {
        case Statistic::p50:
            return "p50";
        case Statistic::p99:
            return "p99";
        default:
            return "mean";
    }
}

std::string_view answer_text(Answer answer) {
    switch (answer) {
        case Answer::no_regression:
            return "no-regression";
        case Answer::regression:
            return "regression";
        case Answer::inconclusive:
            return "inconclusive";
        case Answer::not_comparable:
            break;
    }
    return "not-comparable";
}

std::string value_text(double value, const std::string& unit) {
    if (unit == "ns" && std::abs(value) < 9e18) {
        return format_duration_human(Duration(std::llround(value)));
    }
    const std::string number = fmt::format("{:.5g}", value);
    return unit == "1" || unit == "ratio" ? number : number + " " + unit;
}

std::string change_text(const Comparison& comparison, const std::string& unit) {
    if (comparison.scale == Scale::ratio) {
        return percent(comparison.effect()) + " %";
    }
    return signed_value(comparison.effect(), unit);
}

std::string interval_text(const Comparison& comparison, const std::string& unit) {
    const auto interval = comparison.interval();
    if (!interval) {
        return "n/a";
    }
    if (comparison.scale == Scale::ratio) {
        return fmt::format("[{}, {}] %", percent(interval->low), percent(interval->high));
    }
    return fmt::format("[{}, {}]", signed_value(interval->low, unit),
                       signed_value(interval->high, unit));
}

std::string replications_text(const Study& study) {
    if (study.design == Design::paired) {
        return "pairs";
    }
    return study.unit == Unit::boot ? "boots a side" : "runs a side";
}

std::string verdict_clause(const Study& study, const Finding& finding) {
    const std::string name = figure_name(finding.endpoint.key);
    if (!finding.comparison) {
        return fmt::format("{} n/a ({})", name, finding.endpoint.unavailable);
    }
    const std::string& unit = finding.endpoint.unit;
    switch (finding.judgement.verdict) {
        case Verdict::regressed:
        case Verdict::improved:
            return fmt::format("{} {} by {}", name,
                               finding.judgement.verdict == Verdict::regressed ? "worse" : "better",
                               size_of_change(*finding.comparison, unit));
        case Verdict::unchanged:
            return name + " unchanged";
        case Verdict::inconclusive:
        case Verdict::invalid:
            break;
    }
    return name + " " + undecided(study, finding);
}

std::string sides_text(const Study& study) {
    const bool named = study.base_kernels.size() == 1 && study.fresh_kernels.size() == 1 &&
                       study.base_kernels != study.fresh_kernels;
    return fmt::format("{} against {}", named ? study.fresh_kernels.front() : study.fresh,
                       named ? study.base_kernels.front() : study.base);
}

}  // namespace bench::analysis
