#include "analysis/study_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/study_words.h"
#include "common/csv.h"
#include "common/statistics.h"

namespace bench::analysis {

namespace {

constexpr std::string_view kHeader =
    "test,variant,subject,metric,figure,unit,better,sweep,clients,decides,verdict,base_runs,"
    "new_runs,base,new,scale,effect,low,high,margin,too_few,p_regressed,p_improved,p_unchanged,"
    "q_regressed,needs_at_least,needs_more,minimum_detectable,confirm,tainted,unavailable,"
    "obstacles\n";
constexpr std::size_t kFieldsOfComparison = 19;  // from verdict to confirm

class Record {
  public:
    void text(std::string_view value) { field(csv_text_field(value)); }
    void flag(bool value) { field(value ? "yes" : "no"); }
    void number(std::optional<double> value) {
        field(value && std::isfinite(*value) ? csv_number(*value) : std::string());
    }
    template <class T>
    void whole(const std::optional<T>& value) {
        field(value ? fmt::format("{}", *value) : std::string());
    }
    void empty(std::size_t fields) {
        for (std::size_t i = 0; i < fields; ++i) {
            field({});
        }
    }
    [[nodiscard]] std::string line() const { return line_ + "\n"; }

  private:
    void field(const std::string& value) {
        line_ += first_ ? "" : ",";
        line_ += value;
        first_ = false;
    }

    std::string line_;
    bool first_ = true;
};

std::optional<double> median_of(std::vector<double> values) {
    if (values.empty()) {
        return std::nullopt;
    }
    std::sort(values.begin(), values.end());
    return quantile_type7(values, 500'000);
}

void put_comparison(Record& record, const Finding& finding) {
    const Comparison& comparison = *finding.comparison;
    const Judgement& judgement = finding.judgement;
    const auto interval = comparison.interval();
    // A p that could never have been small says nothing.
    const auto p = [&](std::optional<double> value) {
        return judgement.too_few ? std::nullopt : value;
    };
    record.text(verdict_text(judgement.verdict));
    record.whole(std::optional(comparison.values.a.size()));
    record.whole(std::optional(comparison.values.b.size()));
    record.number(median_of(comparison.values.a));
    record.number(median_of(comparison.values.b));
    record.text(comparison.scale == Scale::ratio ? "ratio" : "difference");
    record.number(comparison.effect());
    record.number(interval ? std::optional(interval->low) : std::nullopt);
    record.number(interval ? std::optional(interval->high) : std::nullopt);
    record.number(comparison.shown(comparison.margin));
    record.flag(judgement.too_few);
    record.number(p(judgement.p_regressed));
    record.number(p(judgement.p_improved));
    record.number(p(judgement.p_unchanged));
    record.number(p(finding.q));
    record.whole(std::optional(judgement.fewest));
    record.whole(judgement.needs_more);
    record.number(judgement.minimum_detectable
                      ? std::optional(comparison.shown(*judgement.minimum_detectable))
                      : std::nullopt);
    record.flag(finding.confirm);
}

std::string record_of(const Finding& finding, const std::string& obstacles) {
    const Endpoint& endpoint = finding.endpoint;
    Record record;
    record.text(endpoint.key.test);
    record.text(endpoint.key.variant);
    record.text(endpoint.key.subject);
    record.text(endpoint.key.metric);
    record.text(figure_text(endpoint.key.figure));
    record.text(endpoint.unit);
    record.text(better_text(endpoint.better));
    record.flag(endpoint.key.sweep);
    record.whole(endpoint.key.clients);
    record.flag(endpoint.primary);
    if (finding.comparison) {
        put_comparison(record, finding);
    } else {
        record.empty(kFieldsOfComparison);
    }
    record.whole(std::optional(endpoint.tainted));
    record.text(finding.comparison ? "" : endpoint.unavailable);
    record.text(obstacles);
    return record.line();
}

}  // namespace

std::string study_csv(const Study& study) {
    std::string obstacles;
    for (const Obstacle& obstacle : study.obstacles) {
        if ((";" + obstacles + ";").find(";" + obstacle.id + ";") == std::string::npos) {
            obstacles += (obstacles.empty() ? "" : ";") + obstacle.id;
        }
    }
    std::string text(kHeader);
    for (const Finding& finding : study.findings) {
        text += record_of(finding, obstacles);
    }
    return text;
}

}  // namespace bench::analysis
