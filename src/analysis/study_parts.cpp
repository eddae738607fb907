#include "analysis/study_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/client_words.h"
#include "analysis/study_words.h"
#include "common/statistics.h"

namespace bench::analysis {

namespace {

std::string median_text(std::vector<double> values, const std::string& unit) {
    std::sort(values.begin(), values.end());
    return value_text(quantile_type7(values, 500'000), unit);
}

std::string where(const EndpointKey& key) {
    if (key.sweep) {
        return "all";
    }
    return key.clients ? fmt::format("{}", *key.clients) : "-";
}

std::string mark(const Finding& finding) {
    std::string text(verdict_text(finding.judgement.verdict));
    if (finding.judgement.too_few && finding.judgement.verdict == Verdict::inconclusive) {
        text = "too few runs";
    }
    return finding.confirm ? text + " *" : text;
}

FigureLine line_of(const Finding& finding) {
    if (!finding.comparison) {
        return {where(finding.endpoint.key), "n/a", "n/a", "n/a", "n/a",
                finding.endpoint.unavailable};
    }
    const Comparison& comparison = *finding.comparison;
    const std::string& unit = finding.endpoint.unit;
    return {where(finding.endpoint.key),
            median_text(comparison.values.a, unit),
            median_text(comparison.values.b, unit),
            change_text(comparison, unit),
            interval_text(comparison, unit),
            mark(finding)};
}

bool same_figure(const EndpointKey& left, EndpointKey right) {
    right.sweep = left.sweep;
    right.clients = left.clients;
    return left == right;
}

/// Where the cells of a figure say the same as their mean, and how many are undecided: " from 12
/// clients up, 2 of 25 undecided (about 8 more runs a side)".
std::string clients_text(const Study& study, const Finding& sweep) {
    std::vector<std::int64_t> all;
    std::vector<std::int64_t> like;
    std::size_t undecided = 0;
    std::uint64_t more = 0;
    for (const Finding& finding : study.findings) {
        if (finding.endpoint.key.sweep || !finding.endpoint.key.clients || !finding.comparison ||
            !same_figure(finding.endpoint.key, sweep.endpoint.key)) {
            continue;
        }
        all.push_back(*finding.endpoint.key.clients);
        if (finding.judgement.verdict == sweep.judgement.verdict) {
            like.push_back(all.back());
        }
        if (finding.judgement.verdict == Verdict::inconclusive) {
            ++undecided;
            more = std::max(more, finding.judgement.needs_more.value_or(0));
        }
    }
    const Verdict verdict = sweep.judgement.verdict;
    if (all.size() < 2 || verdict == Verdict::inconclusive || verdict == Verdict::invalid) {
        return {};
    }
    std::sort(all.begin(), all.end());
    std::sort(like.begin(), like.end());
    std::string text = verdict == Verdict::unchanged ? "" : clients_words(like, all);
    text.insert(0, text.empty() ? "" : " ");
    if (undecided > 0) {
        text += fmt::format(", {} of {} numbers of clients undecided", undecided, all.size());
        text += more > 0 ? fmt::format(" (about {} more {})", more, replications_text(study)) : "";
    }
    return text;
}

FigureTable figure_table(const Study& study, const Finding& sweep) {
    FigureTable table{.title = endpoint_title(sweep.endpoint.key), .lines = {line_of(sweep)}};
    for (const Finding& finding : study.findings) {
        if (!finding.endpoint.key.sweep && same_figure(finding.endpoint.key, sweep.endpoint.key) &&
            sweep.endpoint.swept.size() > 1) {
            table.lines.push_back(line_of(finding));
        }
    }
    return table;
}

std::vector<std::string> obstacle_lines(const std::vector<Obstacle>& obstacles) {
    std::vector<std::string> lines;
    lines.reserve(obstacles.size());
    for (const Obstacle& obstacle : obstacles) {
        lines.push_back(fmt::format("{}: {}", obstacle.id, obstacle.text));
    }
    return lines;
}

/// Other figures: information, so one line each, and only what has values. Of subjects only those
/// that can be decided: thirty processes would be thirty lines that say nothing.
std::vector<std::string> other_lines(const Study& study) {
    std::vector<std::string> lines;
    std::size_t left_out = 0;
    for (const Finding& finding : study.findings) {
        if (finding.endpoint.primary || !finding.endpoint.key.sweep || !finding.comparison) {
            continue;
        }
        if (!finding.endpoint.key.subject.empty() && finding.judgement.too_few) {
            ++left_out;
            continue;
        }
        lines.push_back(verdict_clause(study, finding) + clients_text(study, finding));
    }
    if (left_out > 0) {
        lines.push_back(fmt::format("{} figures of single subjects cannot be decided", left_out));
    }
    return lines;
}

}  // namespace

const FigureLine& figure_heading() {
    static const FigureLine heading{"clients", "base", "new", "change", "95 % interval", "verdict"};
    return heading;
}

std::string headline(const Study& study) {
    std::string text = sides_text(study) + ": ";
    if (study.answer == Answer::not_comparable && !study.obstacles.empty()) {
        return text + "not comparable: " + study.obstacles.front().text +
               (study.obstacles.size() > 1
                    ? fmt::format(" (and {} more)", study.obstacles.size() - 1)
                    : "");
    }
    std::string clauses;
    for (const Finding& finding : study.findings) {
        if (finding.endpoint.primary) {
            clauses += (clauses.empty() ? "" : "; ") + verdict_clause(study, finding) +
                       clients_text(study, finding);
        }
    }
    return text + (clauses.empty() ? "nothing to judge" : clauses);
}

std::vector<FigureTable> figure_tables(const Study& study) {
    std::vector<FigureTable> tables;
    for (const Finding& finding : study.findings) {
        if (finding.endpoint.primary) {
            tables.push_back(figure_table(study, finding));
        }
    }
    return tables;
}

bool any_to_confirm(const Study& study) {
    return std::any_of(study.findings.begin(), study.findings.end(),
                       [](const Finding& finding) { return finding.confirm; });
}

std::string_view confirm_note() {
    return "worth running again with fresh pairs: one of many cells looks worse by chance";
}

std::vector<StudyList> study_lists(const Study& study) {
    std::vector<StudyList> lists{
        {"Other figures, each for itself; they decide nothing:", other_lines(study)},
        {"Not comparable (--allow NAME to compare all the same):", obstacle_lines(study.obstacles)},
        {"Allowed to differ:", obstacle_lines(study.allowed)},
        {"May differ, for one side did not record it:", study.unknown}};
    std::erase_if(lists, [](const StudyList& list) { return list.lines.empty(); });
    return lists;
}

}  // namespace bench::analysis
