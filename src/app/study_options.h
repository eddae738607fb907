#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/study.h"

namespace bench {

enum class StudyFormat { text, json, csv, markdown, junit, ktap, gbench };

/// How sides are judged and how the answer is printed: the same for every command that compares.
struct JudgeOptions {
    analysis::StudyOptions study;
    std::vector<std::uint64_t> looks = {10};  ///< numbers of pairs, ascending; never empty
    StudyFormat format = StudyFormat::text;
    bool explain = false;
};

/// --margin, --metric, --allow, --looks, --inconclusive and --explain. Bad values throw
/// CLI::ValidationError. `options` must outlive the parsing.
void add_judge_options(CLI::App& command, JudgeOptions& options);
/// --format.
void add_format_option(CLI::App& command, JudgeOptions& options);
/// Whether they can hold together: an Error with object = option.
[[nodiscard]] Status check_judge_options(const JudgeOptions& options);

/// The study as it was asked for.
[[nodiscard]] std::string study_output(const analysis::Study& study, const JudgeOptions& options);

}  // namespace bench
