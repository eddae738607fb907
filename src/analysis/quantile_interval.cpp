#include "analysis/quantile_interval.h"

#include "analysis/distributions.h"

namespace bench::analysis {

namespace {

/// The smallest k in [0, n] with P(Bin <= k) > p; P is monotone, so halving finds it.
std::uint64_t first_above(std::uint64_t n, double q, double p) {
    std::uint64_t low = 0;
    std::uint64_t high = n;
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (binomial_cdf(n, q, middle) > p) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

}  // namespace

RankInterval quantile_interval(std::uint64_t n, Ppm ppm, double alpha) {
    const double q = static_cast<double>(ppm) / 1e6;
    RankInterval interval;
    const std::uint64_t low = first_above(n, q, alpha);
    double below = 0;
    if (low >= 1) {
        interval.low = low;
        below = binomial_cdf(n, q, low - 1);
    }
    // P(Bin >= s) <= alpha is P(Bin <= s-1) >= 1-alpha; s-1 = n would be no order statistic.
    std::uint64_t high = first_above(n, q, 1 - alpha);
    if (high >= 1 && binomial_cdf(n, q, high - 1) >= 1 - alpha) {
        --high;
    }
    double within = 1;
    if (high < n) {
        interval.high = high + 1;
        within = binomial_cdf(n, q, high);
    }
    interval.level = within - below;
    return interval;
}

}  // namespace bench::analysis
