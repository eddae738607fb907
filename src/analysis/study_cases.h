#pragma once

#include <string>
#include <vector>

#include "analysis/study.h"

namespace bench::analysis {

/// passed: no regression; failed: a regression, or undecided where that does not pass; skipped:
/// undecided where that passes, or not judged; error: the sides can't be compared.
enum class CaseResult { passed, failed, skipped, error };

/// One endpoint that decides, as a test case.
struct StudyCase {
    std::string test;  ///< "latt"
    std::string name;  ///< "wakeup p99, load=make"; distinct within its test
    CaseResult result = CaseResult::error;
    std::string kind;  ///< "regressed", "inconclusive", ...: a verdict, or an obstacle's id
    std::string text;  ///< one line: "wakeup p99 worse by 18 % [11, 26]"
};

/// One case per endpoint that decides, or one error when there is none. Some case is an error just
/// when the answer is not_comparable, and some failed just when it is regression or inconclusive.
[[nodiscard]] std::vector<StudyCase> study_cases(const Study& study);

}  // namespace bench::analysis
