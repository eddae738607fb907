#include "analysis/planning.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "analysis/distributions.h"
#include "common/statistics.h"

namespace bench::analysis {

namespace {

/// c*(t+t)*sd/sqrt(n); n >= 2.
double resolution(const Precision& precision, std::uint64_t n) {
    const auto size = static_cast<double>(n);
    const double df = precision.design == Design::paired ? size - 1 : 2 * size - 2;
    const double alpha = precision.alpha / static_cast<double>(precision.endpoints);
    return std::sqrt(std::numbers::pi / 3) *
           (students_t_quantile(1 - alpha, df) + students_t_quantile(kPower, df)) * precision.sd /
           std::sqrt(size);
}

}  // namespace

double smallest_p(Design design, std::uint64_t n) {
    double p = 1;
    for (std::uint64_t i = 1; i <= n; ++i) {
        p *= design == Design::paired ? 0.5 : static_cast<double>(i) / static_cast<double>(n + i);
    }
    return p;
}

std::uint64_t fewest_replications(Design design, double alpha, std::uint64_t endpoints) {
    const double limit = alpha / static_cast<double>(endpoints);
    std::uint64_t n = 1;
    while (smallest_p(design, n) > limit) {
        ++n;
    }
    return n;
}

double alpha_per_look(double alpha, std::size_t looks) {
    return alpha / static_cast<double>(looks);
}

std::uint64_t most_endpoints(double alpha, std::uint64_t pairs) {
    return static_cast<std::uint64_t>(alpha / smallest_p(Design::paired, pairs));
}

std::optional<std::size_t> look_reached(std::span<const std::uint64_t> looks, std::uint64_t pairs) {
    const auto beyond = std::upper_bound(looks.begin(), looks.end(), pairs);
    if (beyond == looks.begin()) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(beyond - looks.begin()) - 1;
}

std::optional<double> unpaired_sd(std::span<const double> a, std::span<const double> b) {
    const auto sd_a = sample_stdev(a);
    const auto sd_b = sample_stdev(b);
    if (!sd_a || !sd_b) {
        return std::nullopt;
    }
    return std::hypot(*sd_a, *sd_b);
}

std::optional<double> minimum_detectable_effect(const Precision& precision, std::uint64_t n) {
    if (n < 2) {
        return std::nullopt;
    }
    return precision.margin + resolution(precision, n);
}

std::optional<std::uint64_t> replications_needed(const Precision& precision, double effect,
                                                 std::uint64_t have) {
    const double gap =
        std::min(std::abs(effect - precision.margin), std::abs(effect + precision.margin));
    std::uint64_t low = std::max<std::uint64_t>(
        2, fewest_replications(precision.design, precision.alpha, precision.endpoints));
    std::uint64_t high = have + kMostMoreRuns;
    if (low > high || resolution(precision, high) > gap) {
        return std::nullopt;
    }
    // More runs resolve more: halving finds the first number that is enough.
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (resolution(precision, middle) <= gap) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

}  // namespace bench::analysis
