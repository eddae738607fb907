#include "common/statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace bench {

namespace {

constexpr std::uint64_t kMillion = 1'000'000;

/// n * ppm / 1e6 as a whole part and the millionths left over, without overflow for any n.
struct Scaled {
    std::uint64_t whole = 0;
    std::uint64_t millionths = 0;
};

Scaled scale(std::uint64_t n, Ppm ppm) {
    const std::uint64_t rest = (n % kMillion) * ppm;
    return {.whole = n / kMillion * ppm + rest / kMillion, .millionths = rest % kMillion};
}

/// Sum of squared deviations from the mean. The second term takes away what the mean's own rounding
/// left, which matters for values with a large common part.
double squared_deviations(std::span<const double> values, double centre) {
    double squares = 0;
    double sum = 0;
    for (const double x : values) {
        const double d = x - centre;
        squares += d * d;
        sum += d;
    }
    return std::max(0.0, squares - sum * sum / static_cast<double>(values.size()));
}

std::optional<double> stdev(std::span<const double> values, std::size_t taken_from_n) {
    if (values.size() <= taken_from_n) {
        return std::nullopt;
    }
    return std::sqrt(squared_deviations(values, *mean(values)) /
                     static_cast<double>(values.size() - taken_from_n));
}

std::optional<double> share_of_mean(std::optional<double> deviation,
                                    std::span<const double> values) {
    const std::optional<double> centre = mean(values);
    if (!deviation || !centre || *centre == 0) {
        return std::nullopt;
    }
    return *deviation / std::abs(*centre);
}

}  // namespace

std::uint64_t nearest_rank(std::uint64_t n, Ppm ppm) {
    assert(n >= 1 && ppm <= kMillion);
    const Scaled scaled = scale(n, ppm);
    return std::max<std::uint64_t>(1, scaled.whole + (scaled.millionths > 0 ? 1 : 0));
}

double quantile_nearest(std::span<const double> sorted, Ppm ppm) {
    assert(!sorted.empty());
    return sorted[nearest_rank(sorted.size(), ppm) - 1];
}

double quantile_type7(std::span<const double> sorted, Ppm ppm) {
    assert(!sorted.empty() && ppm <= kMillion);
    const Scaled position = scale(sorted.size() - 1, ppm);
    const double low = sorted[position.whole];
    if (position.millionths == 0) {
        return low;
    }
    const double high = sorted[position.whole + 1];
    const double part = static_cast<double>(position.millionths) / static_cast<double>(kMillion);
    return std::clamp(low + part * (high - low), low, high);
}

std::uint64_t quantile_min_samples(Ppm ppm) {
    assert(ppm <= kMillion);
    if (ppm == kMillion) {
        return std::numeric_limits<std::uint64_t>::max();
    }
    const long double q = static_cast<long double>(ppm) / static_cast<long double>(kMillion);
    // The logarithms may land one off where q^n is close to 0.05: ask the definition.
    const long double guess = ppm == 0 ? 1.0L : std::ceil(std::log(0.05L) / std::log(q));
    auto n = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(guess));
    while (n > 1 && std::pow(q, static_cast<long double>(n - 1)) <= 0.05L) {
        --n;
    }
    while (std::pow(q, static_cast<long double>(n)) > 0.05L) {
        ++n;
    }
    return n;
}

Availability quantile_availability(std::uint64_t n, Ppm ppm) {
    if (n < quantile_min_samples(ppm)) {
        return Availability::not_available;
    }
    const Scaled beyond = scale(n, static_cast<Ppm>(kMillion - ppm));
    return beyond.whole >= 10 ? Availability::solid : Availability::weak;
}

std::optional<double> mean(std::span<const double> values) {
    if (values.empty()) {
        return std::nullopt;
    }
    const auto n = static_cast<double>(values.size());
    double sum = 0;
    double lowest = values.front();
    double highest = values.front();
    for (const double x : values) {
        sum += x;
        lowest = std::min(lowest, x);
        highest = std::max(highest, x);
    }
    const double first = sum / n;
    double rest = 0;
    for (const double x : values) {
        rest += x - first;
    }
    return std::clamp(first + rest / n, lowest, highest);
}

std::optional<double> sample_stdev(std::span<const double> values) {
    return stdev(values, 1);
}

std::optional<double> population_stdev(std::span<const double> values) {
    return stdev(values, 0);
}

std::optional<double> sample_cv(std::span<const double> values) {
    return share_of_mean(sample_stdev(values), values);
}

std::optional<double> population_cv(std::span<const double> values) {
    return share_of_mean(population_stdev(values), values);
}

std::optional<double> jain_index(std::span<const double> values) {
    if (values.empty() || *std::min_element(values.begin(), values.end()) < 0) {
        return std::nullopt;
    }
    const double largest = *std::max_element(values.begin(), values.end());
    if (largest == 0) {
        return std::nullopt;
    }
    double sum = 0;
    double squares = 0;
    for (const double x : values) {
        const double share = x / largest;  // keeps the squares in range
        sum += share;
        squares += share * share;
    }
    return std::min(1.0, sum * sum / (static_cast<double>(values.size()) * squares));
}

std::optional<double> Summary::get(Statistic statistic) const {
    switch (statistic) {
        case Statistic::count:
            return static_cast<double>(count);
        case Statistic::mean:
            return mean;
        case Statistic::stdev:
            return stdev;
        case Statistic::min:
            return min;
        case Statistic::p50:
            return p50;
        case Statistic::p90:
            return p90;
        case Statistic::p95:
            return p95;
        case Statistic::p99:
            return p99;
        case Statistic::p999:
            return p999;
        case Statistic::max:
            return max;
    }
    return std::nullopt;
}

Summary summarise(std::span<const double> values) {
    assert(std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }));
    Summary summary;
    summary.count = values.size();
    if (values.empty()) {
        return summary;
    }
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    const auto available = [&sorted](Ppm ppm) -> std::optional<double> {
        if (quantile_availability(sorted.size(), ppm) == Availability::not_available) {
            return std::nullopt;
        }
        return quantile_nearest(sorted, ppm);
    };
    summary.mean = mean(sorted);
    summary.stdev = sample_stdev(sorted);
    summary.min = sorted.front();
    summary.p50 = available(500'000);
    summary.p90 = available(900'000);
    summary.p95 = available(950'000);
    summary.p99 = available(990'000);
    summary.p999 = available(999'000);
    summary.max = sorted.back();
    return summary;
}

}  // namespace bench
