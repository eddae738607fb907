#include "app/study_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/obstacle.h"
#include "analysis/study_ci.h"
#include "analysis/study_csv.h"
#include "analysis/study_explain.h"
#include "analysis/study_gbench.h"
#include "analysis/study_json.h"
#include "analysis/study_markdown.h"
#include "analysis/study_text.h"
#include "app/exit_codes.h"
#include "common/csv.h"
#include "common/options.h"
#include "common/units.h"

namespace bench {
namespace {

using analysis::Answer;

static_assert(static_cast<int>(Answer::no_regression) == kExitOk);
static_assert(static_cast<int>(Answer::regression) == kExitRegression);
static_assert(static_cast<int>(Answer::inconclusive) == kExitInconclusive);
static_assert(static_cast<int>(Answer::not_comparable) == kExitNotComparable);

/// "3%", "0.5%" as a share.
double read_margin(const std::string& text) {
    constexpr double kMost = 1000;
    const auto refuse = [&] {
        throw CLI::ValidationError(
            "--margin", fmt::format("'{}' is not a percentage from 0% to {:.0f}%", text, kMost));
    };
    if (text.empty() || text.back() != '%') {
        refuse();
    }
    const auto number = parse_csv_number(text.substr(0, text.size() - 1));
    if (!number || !(*number >= 0) || *number > kMost) {
        refuse();
    }
    return *number / 100;
}

std::string allowed_names() {
    std::string names;
    for (const auto& kind : analysis::obstacle_kinds()) {
        names += (names.empty() ? "" : ", ") + std::string(kind.id);
    }
    return names;
}

void allow(JudgeOptions& options, const std::string& name) {
    for (const auto& kind : analysis::obstacle_kinds()) {
        if (kind.id == name) {
            options.study.allow.insert(name);
            return;
        }
    }
    throw CLI::ValidationError("--allow",
                               fmt::format("'{}' is not one of {}", name, allowed_names()));
}

/// Each must come after the one before.
std::vector<std::uint64_t> read_looks(const std::string& text) {
    constexpr std::int64_t kMost = 1000;
    const auto looks = parse_integer_list(text, 1, kMost);
    if (!looks) {
        throw CLI::ValidationError("--looks", looks.error().message());
    }
    if (!std::is_sorted(looks->begin(), looks->end())) {
        throw CLI::ValidationError("--looks", fmt::format("'{}' does not ascend", text));
    }
    return {looks->begin(), looks->end()};
}

}  // namespace

void add_judge_options(CLI::App& command, JudgeOptions& options) {
    command
        .add_option_function<std::string>(
            "--margin",
            [&options](const std::string& text) { options.study.margin = read_margin(text); },
            "Changes up to this do not matter")
        ->type_name("PERCENT")
        ->default_str("3%");
    command
        .add_option_function<std::vector<std::string>>(
            "--metric",
            [&options](const std::vector<std::string>& names) {
                options.study.metrics = {names.begin(), names.end()};
            },
            "Let this metric decide instead of the test's first two figures (may be repeated)")
        ->type_name("NAME")
        ->allow_extra_args(false);
    command
        .add_option_function<std::vector<std::string>>(
            "--allow",
            [&options](const std::vector<std::string>& names) {
                for (const std::string& name : names) {
                    allow(options, name);
                }
            },
            "Compare although this differs (" + allowed_names() + ")")
        ->type_name("NAME")
        ->allow_extra_args(false)
        ->delimiter(',');
    command
        .add_option_function<std::string>(
            "--looks",
            [&options](const std::string& text) {
                options.looks = read_looks(text);
                options.study.looks = options.looks.size();
            },
            "Numbers of pairs at which it was planned to look; each look may err less")
        ->type_name("LIST")
        ->default_str("10");
    add_choice_option(command, "--inconclusive", options.study.inconclusive_passes,
                      "Whether an answer that is not sure passes",
                      {{"fail", false}, {"pass", true}});
    command.add_flag("--explain", options.explain,
                     "Say how each verdict came about, with its numbers");
}

void add_format_option(CLI::App& command, JudgeOptions& options) {
    add_choice_option(
        command, "--format", options.format, "Output",
        std::vector<std::pair<std::string, StudyFormat>>{{"text", StudyFormat::text},
                                                         {"json", StudyFormat::json},
                                                         {"csv", StudyFormat::csv},
                                                         {"markdown", StudyFormat::markdown},
                                                         {"junit", StudyFormat::junit},
                                                         {"ktap", StudyFormat::ktap},
                                                         {"gbench", StudyFormat::gbench}});
}

Status check_judge_options(const JudgeOptions& options) {
    if (options.explain && options.format != StudyFormat::text) {
        return plain_error("", "--explain",
                           "it goes with '--format text'; 'json' and 'csv' hold the same numbers");
    }
    return {};
}

std::string study_output(const analysis::Study& study, const JudgeOptions& options) {
    switch (options.format) {
        case StudyFormat::json:
            return json_text(analysis::study_json(study));
        case StudyFormat::csv:
            return analysis::study_csv(study);
        case StudyFormat::markdown:
            return analysis::study_markdown(study);
        case StudyFormat::junit:
            return analysis::study_junit(study);
        case StudyFormat::ktap:
            return analysis::study_ktap(study);
        case StudyFormat::gbench:
            return json_text(analysis::study_gbench(study));
        case StudyFormat::text:
            break;
    }
    return analysis::study_text(study) +
           (options.explain ? "\n" + analysis::study_explanation(study) : std::string());
}

}  // namespace bench
