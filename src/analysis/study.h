#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/comparable.h"
#include "analysis/pairing.h"
#include "analysis/verdict.h"

namespace bench::analysis {

struct StudyOptions {
    double margin = 0.03;           ///< relative, >= 0
    std::optional<double> floor;    ///< in each metric's own unit; absent: default_floor
    std::size_t looks = 1;          ///< planned looks that share the error; >= 1
    std::set<std::string> allow;    ///< ids of obstacles that do not count
    std::set<std::string> metrics;  ///< judged in place of the primary ones; empty: those
    bool inconclusive_passes = false;
};

/// What came out for one endpoint.
struct Finding {
    Endpoint endpoint;
    std::optional<Comparison> comparison;  ///< absent: see endpoint.unavailable and obstacles
    /// Of those that decide: among each other. Of the others: each for itself, as information.
    Judgement judgement;
    /// Of cells: Benjamini and Hochberg's q of p_regressed among the cells of its figure.
    std::optional<double> q;
    bool confirm = false;  ///< screened: worth running again with fresh pairs
};

struct Study {
    std::string base, fresh;  ///< labels
    std::vector<std::string> base_kernels, fresh_kernels;
    std::size_t looks = 1;  ///< planned ones
    double alpha = kAlpha;  ///< of one look
    bool inconclusive_passes = false;
    Unit unit = Unit::launch;
    Design design = Design::unpaired;
    std::vector<Finding>
        findings;  ///< those that decide have endpoint.primary set; they come first
    std::vector<Obstacle> obstacles;  ///< that are not allowed: the answer is not_comparable
    std::vector<Obstacle> allowed;
    std::vector<std::string> remarks;  ///< what was not measured, what was lost
    std::vector<std::string> unknown;  ///< what only one side recorded
    Answer answer = Answer::not_comparable;
};

/// The whole comparison of two sides: comparable, pair_up, compare, judge, overall.
[[nodiscard]] Study make_study(const Side& base, const Side& fresh, const StudyOptions& options);

}  // namespace bench::analysis
