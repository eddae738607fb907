#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/planning.h"
#include "analysis/shifts.h"
#include "common/metric.h"

namespace bench::analysis {

/// One value a replication: of the baseline (a) and of what is compared with it (b).
struct Replications {
    std::vector<double> a, b;  ///< paired: a[i] and b[i] ran beside each other
    Design design = Design::unpaired;
};

/// What counts as a change. Both are >= 0.
struct Margin {
    double relative = 0.03;
    double floor = 0;  ///< in the metric's unit: changes below it do not matter whatever the ratio
};

/// Ratios (tests on natural logarithms) when all values are above 0, plain differences otherwise.
enum class Scale { ratio, difference };

/// What two sides' values of one endpoint say, before it is weighed against other endpoints.
struct Comparison {
    Replications values;
    Better better = Better::lower;
    Scale scale = Scale::ratio;
    double margin = 0;  ///< on the scale of the tests
    Shifts shifts;      ///< oriented: positive is worse
    double p_regressed = 1;
    double p_improved = 1;
    double p_unchanged = 1;
    std::optional<double> sd;  ///< of the shift, on the scale of the tests; absent: one run

    /// B/A, or B - A in the metric's unit.
    [[nodiscard]] double effect() const;
    /// B - A in the metric's unit, whatever the scale: of the medians.
    [[nodiscard]] double difference_of_medians() const;
    /// median(B)/median(A); absent when A's is 0 (there is no "times faster" than nothing).
    [[nodiscard]] std::optional<double> ratio_of_medians() const;
    /// The 95 % interval of effect(), low <= high; absent: too few runs.
    [[nodiscard]] std::optional<Interval> interval() const;
    /// A size on the scale of the tests as people read it: 0.0296 -> 1.03, or as it is.
    [[nodiscard]] double shown(double size) const;
    [[nodiscard]] std::size_t replications() const;  ///< pairs, or runs on the smaller side
};

/// Three one-sided tests against the margin, counted strictly: ties speak against significance.
/// Absent: no values on a side, more than kMostReplications, pairs of unequal number, better none.
[[nodiscard]] std::optional<Comparison> compare(Replications values, Better better,
                                                const Margin& margin);

}  // namespace bench::analysis
