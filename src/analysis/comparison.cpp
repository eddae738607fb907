#include "analysis/comparison.h"

#include <algorithm>
#include <cmath>

#include "common/statistics.h"

namespace bench::analysis {

namespace {

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return quantile_type7(values, 500'000);
}

bool usable(const Replications& values, Better better) {
    const std::size_t m = values.a.size();
    const std::size_t n = values.b.size();
    return better != Better::none && m >= 1 && n >= 1 && std::max(m, n) <= kMostReplications &&
           (values.design == Design::unpaired || m == n);
}

bool all_positive(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
}

std::vector<double> on_scale(const std::vector<double>& values, Scale scale, double orientation) {
    std::vector<double> scaled;
    scaled.reserve(values.size());
    for (const double value : values) {
        scaled.push_back(orientation * (scale == Scale::ratio ? std::log(value) : value));
    }
    return scaled;
}

double orientation(Better better) {
    return better == Better::lower ? 1 : -1;
}

}  // namespace

double Comparison::shown(double size) const {
    return scale == Scale::ratio ? std::exp(size) : size;
}

double Comparison::effect() const {
    return shown(orientation(better) * shifts.estimate());
}

double Comparison::difference_of_medians() const {
    return median(values.b) - median(values.a);
}

std::optional<double> Comparison::ratio_of_medians() const {
    const double base = median(values.a);
    return base == 0 ? std::nullopt : std::optional(median(values.b) / base);
}

std::optional<Interval> Comparison::interval() const {
    auto interval = shifts.interval(kAlpha);
    if (!interval) {
        return std::nullopt;
    }
    const double one = shown(orientation(better) * interval->low);
    const double other = shown(orientation(better) * interval->high);
    interval->low = std::min(one, other);
    interval->high = std::max(one, other);
    return interval;
}

std::size_t Comparison::replications() const {
    return std::min(values.a.size(), values.b.size());
}

std::optional<Comparison> compare(Replications values, Better better, const Margin& margin) {
    if (!usable(values, better)) {
        return std::nullopt;
    }
    const Scale scale =
        all_positive(values.a) && all_positive(values.b) ? Scale::ratio : Scale::difference;
    const double base = std::abs(median(values.a));
    const double delta = scale == Scale::ratio
                             ? std::log1p(std::max(margin.relative, margin.floor / base))
                             : std::max(margin.relative * base, margin.floor);
    const auto a = on_scale(values.a, scale, orientation(better));
    const auto b = on_scale(values.b, scale, orientation(better));
    std::vector<double> differences;
    if (values.design == Design::paired) {
        std::transform(b.begin(), b.end(), a.begin(), std::back_inserter(differences),
                       [](double after, double before) { return after - before; });
    }
    Comparison result{
        .values = std::move(values),
        .better = better,
        .scale = scale,
        .margin = delta,
        .shifts = differences.empty() ? Shifts::of_samples(a, b) : Shifts::of_pairs(differences),
        .sd = differences.empty() ? unpaired_sd(a, b) : sample_stdev(differences)};
    const Shifts& shifts = result.shifts;
    result.p_regressed = shifts.p_above(delta);
    result.p_improved = shifts.p_below(-delta);
    result.p_unchanged = std::max(shifts.p_below(delta), shifts.p_above(-delta));
    return result;
}

}  // namespace bench::analysis
