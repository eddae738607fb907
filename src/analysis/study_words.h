#pragma once

#include <string>

#include "analysis/study.h"

namespace bench::analysis {

/// Pieces of sentences that every output for people shares.

/// "wakeup p99", "loops"; with the user it is about: "loops of guest".
[[nodiscard]] std::string figure_name(const EndpointKey& key);
/// "latt wakeup p99, load=make": what an endpoint is called where it stands alone; not its clients.
[[nodiscard]] std::string endpoint_title(const EndpointKey& key);
/// "p50", "p99", "mean".
[[nodiscard]] std::string_view figure_text(Statistic figure);
/// "no-regression", "regression", "inconclusive", "not-comparable".
[[nodiscard]] std::string_view answer_text(Answer answer);
/// A value in its unit: "14.5 ms", "0.031", "246".
[[nodiscard]] std::string value_text(double value, const std::string& unit);
/// "+18 %", "-3.2 %"; where there is no ratio (a baseline of 0) the difference: "+1.8 ms".
[[nodiscard]] std::string change_text(const Comparison& comparison, const std::string& unit);
/// "[+11, +26] %", "[+1.2 ms, +1.9 ms]"; "n/a" with too few runs.
[[nodiscard]] std::string interval_text(const Comparison& comparison, const std::string& unit);
/// "pairs", "runs a side", "boots a side".
[[nodiscard]] std::string replications_text(const Study& study);
/// One endpoint as a clause: "wakeup p99 worse by 18 % [11, 26]".
[[nodiscard]] std::string verdict_clause(const Study& study, const Finding& finding);
/// The kernels where each side has one of its own, else the labels: "6.12.0 against 6.1.0".
[[nodiscard]] std::string sides_text(const Study& study);

}  // namespace bench::analysis
