#include "analysis/study_json.h"

#include "analysis/study_words.h"

namespace bench::analysis {

namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json obstacles_json(const std::vector<Obstacle>& obstacles) {
    Json list = Json::array();
    for (const Obstacle& obstacle : obstacles) {
        list.push_back({{"id", obstacle.id}, {"text", obstacle.text}});
    }
    return list;
}

void put_comparison(Json& json, const Finding& finding) {
    const Comparison& comparison = *finding.comparison;
    const Judgement& judgement = finding.judgement;
    const auto interval = comparison.interval();
    json["verdict"] = verdict_text(judgement.verdict);
    json["scale"] = comparison.scale == Scale::ratio ? "ratio" : "difference";
    json["base"] = comparison.values.a;
    json["new"] = comparison.values.b;
    json["effect"] = comparison.effect();
    json["interval"] = interval ? Json{interval->low, interval->high} : Json(nullptr);
    json["interval_level"] = interval ? Json(interval->level) : Json(nullptr);
    json["margin"] = comparison.shown(comparison.margin);
    json["too_few"] = judgement.too_few;
    // A p that could never have been small says nothing.
    const auto p = [&](double value) { return judgement.too_few ? Json(nullptr) : Json(value); };
    json["p_regressed"] = p(judgement.p_regressed);
    json["p_improved"] = p(judgement.p_improved);
    json["p_unchanged"] = p(judgement.p_unchanged);
    json["q_regressed"] = finding.q ? p(*finding.q) : Json(nullptr);
    json["needs_at_least"] = judgement.fewest;
    json["needs_more"] = or_null(judgement.needs_more);
    json["minimum_detectable"] = judgement.minimum_detectable
                                     ? Json(comparison.shown(*judgement.minimum_detectable))
                                     : Json(nullptr);
    json["confirm"] = finding.confirm;
}

Json finding_json(const Finding& finding) {
    const Endpoint& endpoint = finding.endpoint;
    Json json = {{"test", endpoint.key.test},
                 {"variant", endpoint.key.variant},
                 {"subject", endpoint.key.subject},
                 {"metric", endpoint.key.metric},
                 {"figure", figure_text(endpoint.key.figure)},
                 {"unit", endpoint.unit},
                 {"better", better_text(endpoint.better)},
                 {"sweep", endpoint.key.sweep},
                 {"clients", or_null(endpoint.key.clients)},
                 {"swept", endpoint.swept},
                 {"decides", endpoint.primary},
                 {"tainted", endpoint.tainted}};
    if (finding.comparison) {
        put_comparison(json, finding);
    } else {
        json["verdict"] = nullptr;
        json["unavailable"] = endpoint.unavailable;
    }
    return json;
}

}  // namespace

Json study_json(const Study& study) {
    Json findings = Json::array();
    for (const Finding& finding : study.findings) {
        findings.push_back(finding_json(finding));
    }
    return {{"schema", "bench-comparison"},
            {"schema_version", 1},
            {"answer", answer_text(study.answer)},
            {"exit", static_cast<int>(study.answer)},
            {"base", {{"label", study.base}, {"kernels", study.base_kernels}}},
            {"new", {{"label", study.fresh}, {"kernels", study.fresh_kernels}}},
            {"design", study.design == Design::paired ? "paired" : "unpaired"},
            {"replication", study.unit == Unit::boot ? "boot" : "launch"},
            {"alpha", study.alpha},
            {"remarks", study.remarks},
            {"not_comparable", obstacles_json(study.obstacles)},
            {"allowed", obstacles_json(study.allowed)},
            {"unknown", study.unknown},
            {"findings", std::move(findings)}};
}

}  // namespace bench::analysis
