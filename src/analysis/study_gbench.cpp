#include "analysis/study_gbench.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/study_words.h"

namespace bench::analysis {

namespace {

/// Names are paths there: neither spaces nor slashes of ours.
std::string name_part(std::string text) {
    std::replace_if(
        text.begin(), text.end(),
        [](char c) { return c == '/' || static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; }, '_');
    return text;
}

std::string entry_name(const EndpointKey& key) {
    std::string name = name_part(key.test);
    if (!key.variant.empty()) {
        name += "/" + name_part(key.variant);
    }
    name += "/" + name_part(figure_name(key));
    if (key.clients) {
        name += fmt::format("/clients:{}", *key.clients);
    }
    return name;
}

void put_runs(Json& list, const Finding& finding, const char* side,
              const std::vector<double>& values, std::size_t family) {
    const std::string name = fmt::format("{}/{}", side, entry_name(finding.endpoint.key));
    for (std::size_t i = 0; i < values.size(); ++i) {
        Json entry = {{"name", name},
                      {"family_index", family},
                      {"per_family_instance_index", 0},
                      {"run_name", name},
                      {"run_type", "iteration"},
                      {"repetitions", values.size()},
                      {"repetition_index", i},
                      {"threads", finding.endpoint.key.clients.value_or(1)},
                      {"iterations", 1}};
        if (finding.endpoint.unit == "ns") {
            entry["real_time"] = values[i];
            entry["cpu_time"] = values[i];
            entry["time_unit"] = "ns";
        } else {
            entry["value"] = values[i];
            entry["unit"] = finding.endpoint.unit;
        }
        list.push_back(std::move(entry));
    }
}

}  // namespace

Json study_gbench(const Study& study) {
    Json list = Json::array();
    std::size_t family = 0;
    for (const Finding& finding : study.findings) {
        if (finding.comparison) {
            put_runs(list, finding, "base", finding.comparison->values.a, family++);
            put_runs(list, finding, "new", finding.comparison->values.b, family++);
        }
    }
    return {{"context",
             {{"executable", "bench compare"},
              {"base", study.base},
              {"new", study.fresh},
              {"answer", answer_text(study.answer)}}},
            {"benchmarks", std::move(list)}};
}

}  // namespace bench::analysis
