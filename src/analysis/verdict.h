#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/comparison.h"

namespace bench::analysis {

/// What is said of one endpoint. Regressed is worse by more than the margin, improved better by
/// more than it; unchanged is shown to lie within it; inconclusive: not enough runs for any of
/// them; invalid: there is nothing to judge.
enum class Verdict { unchanged, improved, regressed, inconclusive, invalid };
[[nodiscard]] std::string_view verdict_text(Verdict verdict);  ///< "unchanged", ...

struct Judgement {
    Verdict verdict = Verdict::invalid;
    double p_regressed = 1;  ///< adjusted by Holm over all endpoints judged together
    double p_improved = 1;   ///< likewise, on its own
    double p_unchanged = 1;  ///< not adjusted
    /// Runs that a verdict needs at least; have fewer: "cannot decide", and no p value is shown.
    std::uint64_t fewest = 0;
    bool too_few = false;
    /// Of an inconclusive one: how many more pairs (runs a side); absent: not resolvable.
    std::optional<std::uint64_t> needs_more;
    /// Its interval lies beyond the margin, but not surely enough among so many endpoints.
    bool lost_to_multiplicity = false;
    /// Smallest change found with 80 % power, on the scale of the tests (shown()); absent: one run.
    std::optional<double> minimum_detectable;
};

/// Judges endpoints together, each direction by Holm at `alpha` (of one look: alpha_per_look).
/// Endpoints that could not be compared take no part. One judgement per comparison.
[[nodiscard]] std::vector<Judgement> judge(std::span<const Comparison> comparisons,
                                           double alpha = kAlpha);

/// The overall answer; its value is the exit status.
enum class Answer : int { no_regression = 0, regression = 1, inconclusive = 3, not_comparable = 4 };

/// An invalid endpoint, or none at all, beats a regression, which beats an inconclusive one. With
/// `inconclusive_passes` the last does not count.
[[nodiscard]] Answer overall(std::span<const Verdict> verdicts, bool inconclusive_passes = false);

/// Screen, then confirm: which cells of a sweep are run again with fresh pairs, by their unadjusted
/// p_regressed: all <= 0.05, at most the 10 smallest. Ascending places.
[[nodiscard]] std::vector<std::size_t> cells_to_confirm(std::span<const double> p_regressed);

}  // namespace bench::analysis
