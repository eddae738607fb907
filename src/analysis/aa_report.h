#pragma once

#include <string>

#include "analysis/study.h"

namespace bench::analysis {

/// What a comparison of a thing with itself says about the machine it ran on.
struct AaReport {
    std::size_t figures = 0;  ///< that had enough runs for a verdict
    std::size_t alarms = 0;   ///< of them: called worse or better by more than the margin
    /// Of them: different at 5 % (2.5 % in each direction) without any margin. About one in twenty
    /// is chance.
    std::size_t differing = 0;
    bool fit = false;  ///< no figure that decides gave an alarm
};

/// `study` with the margin asked for, `bare` of the same sides with margin and floor 0.
[[nodiscard]] AaReport aa_report(const Study& study, const Study& bare);

/// False alarms, and the smallest change each deciding figure could show, for people.
[[nodiscard]] std::string aa_text(const Study& study, const AaReport& report);

}  // namespace bench::analysis
