#include "analysis/shifts.h"

#include <algorithm>

#include "common/statistics.h"

namespace bench::analysis {

Shifts::Shifts(std::vector<double> values, RankNull null)
    : sorted_(std::move(values)), null_(std::move(null)) {
    std::sort(sorted_.begin(), sorted_.end());
}

Shifts Shifts::of_pairs(std::span<const double> differences) {
    const std::size_t n = differences.size();
    std::vector<double> averages;
    averages.reserve(n * (n + 1) / 2);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i; j < n; ++j) {
            averages.push_back((differences[i] + differences[j]) / 2);
        }
    }
    return {std::move(averages), RankNull::signed_rank(n)};
}

Shifts Shifts::of_samples(std::span<const double> a, std::span<const double> b) {
    std::vector<double> differences;
    differences.reserve(a.size() * b.size());
    for (const double before : a) {
        for (const double after : b) {
            differences.push_back(after - before);
        }
    }
    return {std::move(differences), RankNull::mann_whitney(a.size(), b.size())};
}

double Shifts::estimate() const {
    return quantile_type7(sorted_, 500'000);
}

std::optional<Interval> Shifts::interval(double alpha) const {
    const std::size_t k = null_.interval_rank(alpha);
    if (k == 0) {
        return std::nullopt;
    }
    return Interval{.low = sorted_[k - 1],
                    .high = sorted_[sorted_.size() - k],
                    .rank = k,
                    .level = 1 - 2 * null_.lower_tail(k - 1)};
}

std::size_t Shifts::count_above(double limit) const {
    return static_cast<std::size_t>(sorted_.end() -
                                    std::upper_bound(sorted_.begin(), sorted_.end(), limit));
}

std::size_t Shifts::count_below(double limit) const {
    return static_cast<std::size_t>(std::lower_bound(sorted_.begin(), sorted_.end(), limit) -
                                    sorted_.begin());
}

double Shifts::p_above(double limit) const {
    return null_.upper_tail(count_above(limit));
}

double Shifts::p_below(double limit) const {
    return null_.upper_tail(count_below(limit));
}

bool Shifts::all_zero() const {
    return sorted_.front() == 0 && sorted_.back() == 0;
}

}  // namespace bench::analysis
