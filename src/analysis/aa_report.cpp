#include "analysis/aa_report.h"

#include <fmt/format.h>

#include "analysis/study_words.h"

namespace bench::analysis {

namespace {

bool is_alarm(Verdict verdict) {
    return verdict == Verdict::regressed || verdict == Verdict::improved;
}

std::string detectable_text(const Finding& finding) {
    if (!finding.comparison || !finding.judgement.minimum_detectable) {
        return "n/a";
    }
    const double shown = finding.comparison->shown(*finding.judgement.minimum_detectable);
    return finding.comparison->scale == Scale::ratio ? fmt::format("{:.3g} %", (shown - 1) * 100)
                                                     : value_text(shown, finding.endpoint.unit);
}

std::string percent_of(std::size_t part, std::size_t all) {
    return all == 0 ? "n/a"
                    : fmt::format("{:.1f} %",
                                  100 * static_cast<double>(part) / static_cast<double>(all));
}

}  // namespace

AaReport aa_report(const Study& study, const Study& bare) {
    AaReport report{.fit = true};
    for (const Finding& finding : study.findings) {
        if (!finding.comparison || finding.judgement.too_few) {
            continue;
        }
        ++report.figures;
        if (is_alarm(finding.judgement.verdict)) {
            ++report.alarms;
            report.fit = report.fit && !finding.endpoint.primary;
        }
    }
    for (const Finding& finding : bare.findings) {
        if (finding.comparison && !finding.judgement.too_few &&
            (finding.comparison->p_regressed <= kAlpha ||
             finding.comparison->p_improved <= kAlpha)) {
            ++report.differing;
        }
    }
    return report;
}

std::string aa_text(const Study& study, const AaReport& report) {
    std::string text = fmt::format(
        "A/A: both sides are the same\n"
        "  false alarms: {} of {} figures were called worse or better by more than the margin "
        "({})\n"
        "  without a margin {} of them differ at 5 % ({}); about 1 in 20 does by chance\n"
        "  smallest change found in 4 of 5 such comparisons:\n",
        report.alarms, report.figures, percent_of(report.alarms, report.figures), report.differing,
        percent_of(report.differing, report.figures));
    for (const Finding& finding : study.findings) {
        if (finding.endpoint.primary) {
            text += fmt::format("    {}: {}\n", endpoint_title(finding.endpoint.key),
                                detectable_text(finding));
        }
    }
    if (!report.fit) {
        text +=
            "  This machine is not fit for such comparisons, or the margin is below its noise.\n";
    }
    return text;
}

}  // namespace bench::analysis
