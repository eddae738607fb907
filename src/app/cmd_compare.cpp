#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <filesystem>
#include <memory>
#include <set>

#include "analysis/partition.h"
#include "analysis/study.h"
#include "app/command_line.h"
#include "app/exit_codes.h"
#include "app/study_options.h"
#include "common/log.h"

namespace bench {
namespace {

using analysis::PartBy;

struct CompareOptions {
    std::string base, fresh;
    std::optional<PartBy> by;
    std::string parts;  ///< "A,B"; empty: the two there are
    JudgeOptions judge;
};

/// "kernel", "kernel=6.1.0,6.12.0".
void read_by(CompareOptions& options, const std::string& text) {
    const std::string word = text.substr(0, text.find('='));
    for (const PartBy by : {PartBy::kernel, PartBy::scheduler, PartBy::variant, PartBy::side}) {
        if (word == analysis::part_by_text(by)) {
            options.by = by;
        }
    }
    if (!options.by) {
        throw CLI::ValidationError(
            "--by", fmt::format("'{}' is not one of kernel, scheduler, variant, side", word));
    }
    if (word.size() < text.size()) {
        options.parts = text.substr(word.size() + 1);
        if (options.parts.find(',') == std::string::npos) {
            throw CLI::ValidationError(
                "--by", fmt::format("'{}' does not name two values: {}=BASE,NEW", text, word));
        }
    }
}

/// A place that is not there is a slip of the pen; one that holds nothing can't be compared.
Status check_place(const char* name, const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        return {};
    }
    return plain_error("compare", name,
                       fmt::format("'{}' is not a folder; a bundle is one, with run.json", path));
}

Status check_places(const CompareOptions& options) {
    if (options.by && !options.fresh.empty()) {
        return plain_error("", "--by", "it compares parts of one place: leave NEW out");
    }
    if (!options.by && options.fresh.empty()) {
        return plain_error("", "NEW", "it is missing; --by compares parts of one bundle");
    }
    if (auto there = check_place("BASE", options.base); !there) {
        return there;
    }
    if (!options.by) {
        if (auto there = check_place("NEW", options.fresh); !there) {
            return there;
        }
    }
    return check_judge_options(options.judge);
}

int fail(const Error& error, int code) {
    log_error(error.message());
    return code;
}

/// A metric that neither side has is a slip of the pen.
Status check_metrics(const std::set<std::string>& asked, const analysis::Side& base,
                     const analysis::Side& fresh) {
    std::set<std::string> known;
    for (const analysis::Side* side : {&base, &fresh}) {
        for (const analysis::Launch& launch : side->launches) {
            for (const SummaryRow& row : launch.rows) {
                known.insert(row.metric.name);
            }
        }
    }
    for (const std::string& name : asked) {
        if (!known.contains(name)) {
            return plain_error("", "--metric",
                               fmt::format("'{}' is not among the metrics there are: {}", name,
                                           fmt::join(known, ", ")));
        }
    }
    return {};
}

int compare(const CompareOptions& options) {
    auto base = analysis::read_side(options.base);
    if (!base) {
        return fail(base.error(), kExitNotComparable);
    }
    Result<analysis::Side> fresh = *base;
    if (options.by) {
        const auto values = analysis::part_values(*base, *options.by);
        const auto two = analysis::choose_parts(*options.by, values, options.parts);
        if (!two) {
            return fail(two.error(), kExitUsage);
        }
        fresh = analysis::part_of(*base, *options.by, two->second);
        base = analysis::part_of(*base, *options.by, two->first);
    } else {
        fresh = analysis::read_side(options.fresh);
    }
    if (!fresh) {
        return fail(fresh.error(), kExitNotComparable);
    }
    if (auto known = check_metrics(options.judge.study.metrics, *base, *fresh); !known) {
        return fail(known.error(), kExitUsage);
    }
    const analysis::Study study = analysis::make_study(*base, *fresh, options.judge.study);
    return print(study_output(study, options.judge), static_cast<int>(study.answer));
}

/// For `git bisect run`: 0 good, 1 bad, 125 can't be told. Nothing that went wrong here may call a
/// commit bad.
int bisect_step(const CompareOptions& options) {
    constexpr int kSkip = 125;
    int code = kSkip;
    try {
        code = compare(options);
    } catch (const std::exception& exception) {
        log_error(exception.what());
    }
    return code == kExitOk || code == kExitRegression ? code : kSkip;
}

CLI::Option* add_base(CLI::App& command, CompareOptions& options) {
    return command
        .add_option("BASE", options.base, "A bundle, or a folder of bundles: the baseline")
        ->required();
}

CLI::Option* add_new(CLI::App& command, CompareOptions& options) {
    return command.add_option("NEW", options.fresh, "What is compared with it");
}

}  // namespace

void add_compare_command(CommandLine& line) {
    CLI::App* command =
        line.app.add_subcommand("compare", "Say whether NEW is better or worse than BASE");
    auto options = std::make_shared<CompareOptions>();
    add_base(*command, *options);
    add_new(*command, *options);
    command
        ->add_option_function<std::string>(
            "--by", [options](const std::string& text) { read_by(*options, text); },
            "Compare two parts of BASE instead: kernel, scheduler, variant, or side (A and B of "
            "'bench ab'); with more than two "
            "of them kernel=A,B")
        ->type_name("WHAT[=A,B]");
    add_judge_options(*command, options->judge);
    add_format_option(*command, options->judge);
    line.on(
        *command, "compare", [options] { return compare(*options); },
        [options] { return check_places(*options); });
}

void add_bisect_step_command(CommandLine& line) {
    // git bisect takes every status from 1 to 127 but 125 for "bad", and stops at higher ones.
    constexpr int kStopBisecting = 128;
    CLI::App* command = line.app.add_subcommand(
        "bisect-step",
        "Compare for 'git bisect run': exit 0 good, 1 bad (a regression), 125 can't be told, 128 "
        "wrong usage");
    line.usage_exits["bisect-step"] = kStopBisecting;
    auto options = std::make_shared<CompareOptions>();
    add_base(*command, *options);
    add_new(*command, *options)->required();
    add_judge_options(*command, options->judge);
    // A commit whose kernel left no bundle is one to skip; a baseline that is not there a mistake.
    line.on(
        *command, "bisect-step", [options] { return bisect_step(*options); },
        [options] { return check_place("BASE", options->base); });
}

}  // namespace bench
