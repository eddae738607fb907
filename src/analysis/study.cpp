#include "analysis/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/multiplicity.h"
#include "analysis/study_words.h"

namespace bench::analysis {

namespace {

/// Other metrics than the primary ones decide when they are asked for by name.
void choose(std::vector<Endpoint>& endpoints, const std::set<std::string>& metrics) {
    if (metrics.empty()) {
        return;
    }
    for (Endpoint& endpoint : endpoints) {
        endpoint.primary = endpoint.key.sweep && metrics.contains(endpoint.key.metric);
    }
}

Finding find(Endpoint endpoint, const StudyOptions& options) {
    Finding finding;
    if (endpoint.unavailable.empty()) {
        const Margin margin{.relative = options.margin,
                            .floor = options.floor.value_or(default_floor(endpoint.unit))};
        finding.comparison = compare(endpoint.values, endpoint.better, margin);
        if (!finding.comparison) {
            endpoint.unavailable =
                endpoint.values.a.empty() || endpoint.values.b.empty()
                    ? "no pair is whole"
                    : fmt::format("more than {} runs on a side", kMostReplications);
            endpoint.obstacles.push_back({.id = "lost-runs", .text = endpoint.unavailable});
        }
    }
    finding.endpoint = std::move(endpoint);
    return finding;
}

/// Judges the chosen findings, together or each for itself.
void judge_findings(std::vector<Finding>& findings, bool primary, double alpha) {
    std::vector<Finding*> chosen;
    std::vector<Comparison> comparisons;
    for (Finding& finding : findings) {
        if (finding.endpoint.primary == primary && finding.comparison) {
            chosen.push_back(&finding);
            comparisons.push_back(*finding.comparison);
        }
    }
    if (primary) {
        const auto judgements = judge(comparisons, alpha);
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            chosen[i]->judgement = judgements[i];
        }
        return;
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        chosen[i]->judgement = judge(std::span(comparisons).subspan(i, 1), alpha).front();
    }
}

/// Screens the cells of each figure: a bad client count may hide in the mean of a sweep.
void screen(std::vector<Finding>& findings) {
    using Figure = std::tuple<std::string, std::string, std::string, std::string, Statistic>;
    std::map<Figure, std::vector<Finding*>> families;
    for (Finding& finding : findings) {
        const EndpointKey& key = finding.endpoint.key;
        if (!key.sweep && finding.comparison) {
            families[{key.test, key.variant, key.subject, key.metric, key.figure}].push_back(
                &finding);
        }
    }
    for (auto& [figure, cells] : families) {
        std::vector<double> p;
        for (const Finding* cell : cells) {
            p.push_back(cell->comparison->p_regressed);
        }
        const auto q = benjamini_hochberg(p);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            cells[i]->q = q[i];
        }
        for (const std::size_t place : cells_to_confirm(p)) {
            cells[place]->confirm = true;
        }
    }
}

void sort_obstacles(Study& study, const std::vector<Obstacle>& found,
                    const std::set<std::string>& allow) {
    for (const Obstacle& obstacle : found) {
        auto& list = allow.contains(obstacle.id) ? study.allowed : study.obstacles;
        const bool known = std::any_of(list.begin(), list.end(), [&](const Obstacle& have) {
            return have.id == obstacle.id && have.text == obstacle.text;
        });
        if (!known) {
            list.push_back(obstacle);
        }
    }
}

/// What decides, and what could have but was not available.
Answer answer_of(Study& study, bool inconclusive_passes) {
    std::vector<Verdict> verdicts;
    for (const Finding& finding : study.findings) {
        if (!finding.endpoint.primary) {
            continue;
        }
        if (finding.comparison) {
            verdicts.push_back(finding.judgement.verdict);
        } else {
            study.remarks.push_back(fmt::format("{} is not judged: {}",
                                                figure_name(finding.endpoint.key),
                                                finding.endpoint.unavailable));
        }
    }
    if (!study.obstacles.empty()) {
        verdicts.push_back(Verdict::invalid);
    }
    return overall(verdicts, inconclusive_passes);
}

}  // namespace

Study make_study(const Side& base, const Side& fresh, const StudyOptions& options) {
    Study study;
    study.base = base.label;
    study.fresh = fresh.label;
    study.base_kernels = base.kernels();
    study.fresh_kernels = fresh.kernels();
    study.looks = options.looks;
    study.alpha = alpha_per_look(kAlpha, options.looks);
    study.inconclusive_passes = options.inconclusive_passes;
    Comparability comparability = comparable(base, fresh);
    sort_obstacles(study, comparability.obstacles, options.allow);
    study.unknown = std::move(comparability.unknown);

    Pairing pairing = pair_up(base, fresh, study.alpha);
    study.unit = pairing.unit;
    study.design = pairing.design;
    study.remarks = std::move(pairing.remarks);
    sort_obstacles(study, pairing.obstacles, options.allow);
    choose(pairing.endpoints, options.metrics);
    std::stable_partition(pairing.endpoints.begin(), pairing.endpoints.end(),
                          [](const Endpoint& endpoint) { return endpoint.primary; });
    for (Endpoint& endpoint : pairing.endpoints) {
        study.findings.push_back(find(std::move(endpoint), options));
        if (study.findings.back().endpoint.primary) {
            sort_obstacles(study, study.findings.back().endpoint.obstacles, options.allow);
        }
    }
    judge_findings(study.findings, true, study.alpha);
    judge_findings(study.findings, false, study.alpha);
    screen(study.findings);
    study.answer = answer_of(study, options.inconclusive_passes);
    return study;
}

}  // namespace bench::analysis
