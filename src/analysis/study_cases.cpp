#include "analysis/study_cases.h"

#include "analysis/study_words.h"

namespace bench::analysis {

namespace {

/// What forbids the comparison forbids every verdict of it.
StudyCase forbidden_case(const Study& study, StudyCase made) {
    made.result = CaseResult::error;
    if (study.obstacles.empty()) {
        made.kind = "nothing-to-judge";
        made.text = made.text.empty() ? "nothing to judge" : made.text;
        return made;
    }
    made.kind = study.obstacles.front().id;
    made.text.clear();
    for (const Obstacle& obstacle : study.obstacles) {
        made.text += (made.text.empty() ? "" : "; ") + obstacle.text;
    }
    return made;
}

CaseResult result_of(const Study& study, const Finding& finding) {
    if (!finding.comparison) {
        return CaseResult::skipped;
    }
    switch (finding.judgement.verdict) {
        case Verdict::unchanged:
        case Verdict::improved:
            return CaseResult::passed;
        case Verdict::regressed:
            return CaseResult::failed;
        case Verdict::inconclusive:
            return study.inconclusive_passes ? CaseResult::skipped : CaseResult::failed;
        case Verdict::invalid:
            break;
    }
    return CaseResult::error;
}

}  // namespace

std::vector<StudyCase> study_cases(const Study& study) {
    std::vector<StudyCase> cases;
    for (const Finding& finding : study.findings) {
        if (!finding.endpoint.primary) {
            continue;
        }
        const EndpointKey& key = finding.endpoint.key;
        StudyCase made{
            .test = key.test,
            .name = figure_name(key) + (key.variant.empty() ? std::string() : ", " + key.variant),
            .result = result_of(study, finding),
            .kind = finding.comparison ? std::string(verdict_text(finding.judgement.verdict))
                                       : "not-judged",
            .text = verdict_clause(study, finding)};
        cases.push_back(study.answer == Answer::not_comparable
                            ? forbidden_case(study, std::move(made))
                            : std::move(made));
    }
    if (cases.empty()) {
        cases.push_back(forbidden_case(study, {.test = "comparison",
                                               .name = "comparable",
                                               .result = CaseResult::error,
                                               .kind = {},
                                               .text = {}}));
    }
    return cases;
}

}  // namespace bench::analysis
