#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "analysis/study.h"
#include "analysis/study_json.h"
#include "analysis/study_text.h"
#include "app/command_line.h"
#include "app/exit_codes.h"
#include "common/csv.h"
#include "common/log.h"
#include "common/options.h"
#include "common/units.h"

namespace bench {
namespace {

using analysis::Answer;

static_assert(static_cast<int>(Answer::no_regression) == kExitOk);
static_assert(static_cast<int>(Answer::regression) == kExitRegression);
static_assert(static_cast<int>(Answer::inconclusive) == kExitInconclusive);
static_assert(static_cast<int>(Answer::not_comparable) == kExitNotComparable);

enum class Format { text, json };

struct CompareOptions {
    std::string base, fresh;
    analysis::StudyOptions study;
    Format format = Format::text;
};

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

void allow(CompareOptions& options, const std::string& name) {
    for (const auto& kind : analysis::obstacle_kinds()) {
        if (kind.id == name) {
            options.study.allow.insert(name);
            return;
        }
    }
    throw CLI::ValidationError("--allow",
                               fmt::format("'{}' is not one of {}", name, allowed_names()));
}

/// Only as many as there are looks matters here; each must come after the one before.
std::size_t read_looks(const std::string& text) {
    constexpr std::int64_t kMost = 1000;
    const auto looks = parse_integer_list(text, 1, kMost);
    if (!looks) {
        throw CLI::ValidationError("--looks", looks.error().message());
    }
    if (!std::is_sorted(looks->begin(), looks->end())) {
        throw CLI::ValidationError("--looks", fmt::format("'{}' does not ascend", text));
    }
    return looks->size();
}

/// A place that is not there is a slip of the pen; one that holds nothing can't be compared.
Status check_places(const CompareOptions& options) {
    for (const auto& [name, path] :
         {std::pair("BASE", options.base), std::pair("NEW", options.fresh)}) {
        std::error_code ignored;
        if (!std::filesystem::is_directory(path, ignored)) {
            return plain_error(
                "compare", name,
                fmt::format("'{}' is not a folder; a bundle is one, with run.json", path));
        }
    }
    return {};
}

int compare(const CompareOptions& options) {
    const auto base = analysis::read_side(options.base);
    const auto fresh = base ? analysis::read_side(options.fresh) : base;
    if (!fresh) {
        log_error(fresh.error().message());
        return kExitNotComparable;
    }
    const analysis::Study study = analysis::make_study(*base, *fresh, options.study);
    const std::string text = options.format == Format::json ? json_text(analysis::study_json(study))
                                                            : analysis::study_text(study);
    return print(text, static_cast<int>(study.answer));
}

}  // namespace

void add_compare_command(CommandLine& line) {
    CLI::App* command =
        line.app.add_subcommand("compare", "Say whether NEW is better or worse than BASE");
    auto options = std::make_shared<CompareOptions>();
    command->add_option("BASE", options->base, "A bundle, or a folder of bundles: the baseline")
        ->required();
    command->add_option("NEW", options->fresh, "What is compared with it")->required();
    command
        ->add_option_function<std::string>(
            "--margin",
            [options](const std::string& text) { options->study.margin = read_margin(text); },
            "Changes up to this do not matter")
        ->default_str("3%");
    command->add_option_function<std::vector<std::string>>(
        "--metric",
        [options](const std::vector<std::string>& names) {
            options->study.metrics = {names.begin(), names.end()};
        },
        "Let this metric decide instead of the test's first two figures (may be repeated)");
    command
        ->add_option_function<std::vector<std::string>>(
            "--allow",
            [options](const std::vector<std::string>& names) {
                for (const std::string& name : names) {
                    allow(*options, name);
                }
            },
            "Compare although this differs (" + allowed_names() + ")")
        ->delimiter(',');
    command
        ->add_option_function<std::string>(
            "--looks",
            [options](const std::string& text) { options->study.looks = read_looks(text); },
            "Numbers of pairs at which it was planned to look; each look may err less")
        ->default_str("10");
    add_choice_option(*command, "--inconclusive", options->study.inconclusive_passes,
                      "Whether an answer that is not sure passes",
                      {{"fail", false}, {"pass", true}});
    add_choice_option(*command, "--format", options->format, "Output",
                      std::vector<std::pair<std::string, Format>>{{"text", Format::text},
                                                                  {"json", Format::json}});
    line.on(
        *command, "compare", [options] { return compare(*options); },
        [options] { return check_places(*options); });
}

}  // namespace bench
