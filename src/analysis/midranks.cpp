#include "analysis/midranks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "analysis/distributions.h"

namespace bench::analysis {

namespace {

/// Twice the midranks, which are whole numbers, and the sum of t^3 - t over groups of t ties.
struct Midranks {
    std::vector<std::size_t> doubled;
    double ties = 0;
};

Midranks midranks(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t left, std::size_t right) { return values[left] < values[right]; });
    Midranks ranks{.doubled = std::vector<std::size_t>(values.size())};
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin;
        while (end < order.size() && values[order[end]] == values[order[begin]]) {
            ++end;
        }
        for (std::size_t i = begin; i < end; ++i) {
            ranks.doubled[order[i]] = begin + 1 + end;
        }
        const auto tied = static_cast<double>(end - begin);
        ranks.ties += tied * tied * tied - tied;
        begin = end;
    }
    return ranks;
}

/// The test of a sum of doubled ranks whose null has `ways` ways for each value.
RankTest test_of(const std::vector<double>& ways, std::size_t observed) {
    const double total = std::accumulate(ways.begin(), ways.end(), 0.0);
    const auto split = ways.begin() + static_cast<std::ptrdiff_t>(observed);
    RankTest test;
    test.p_less = std::accumulate(ways.begin(), split + 1, 0.0) / total;
    test.p_greater = std::accumulate(split, ways.end(), 0.0) / total;
    test.p_two_sided = std::min(1.0, 2 * std::min(test.p_less, test.p_greater));
    return test;
}

std::vector<double> joined(std::span<const double> a, std::span<const double> b) {
    std::vector<double> all(a.begin(), a.end());
    all.insert(all.end(), b.begin(), b.end());
    return all;
}

/// Twice the rank sum of b, whose values are the last in `ranks`.
std::size_t doubled_sum(const Midranks& ranks, std::size_t b_size) {
    return std::accumulate(ranks.doubled.end() - static_cast<std::ptrdiff_t>(b_size),
                           ranks.doubled.end(), std::size_t{0});
}

double u_of(std::size_t doubled, std::size_t b_size) {
    const auto n = static_cast<double>(b_size);
    return static_cast<double>(doubled) / 2 - n * (n + 1) / 2;
}

}  // namespace

std::optional<RankTest> signed_rank_midranks(std::span<const double> differences) {
    std::vector<double> magnitudes;
    std::vector<bool> positive;
    for (const double d : differences) {
        if (d != 0) {
            magnitudes.push_back(std::abs(d));
            positive.push_back(d > 0);
        }
    }
    if (magnitudes.size() > kMostMidranks) {
        return std::nullopt;
    }
    const Midranks ranks = midranks(magnitudes);
    std::size_t highest = 0;
    std::size_t observed = 0;
    std::vector<double> ways{1};
    for (std::size_t i = 0; i < magnitudes.size(); ++i) {
        const std::size_t rank = ranks.doubled[i];
        highest += rank;
        observed += positive[i] ? rank : 0;
        ways.resize(highest + 1, 0);
        for (std::size_t sum = highest; sum >= rank; --sum) {
            ways[sum] += ways[sum - rank];
        }
    }
    RankTest test = test_of(ways, observed);
    test.statistic = static_cast<double>(observed) / 2;
    return test;
}

std::optional<RankTest> mann_whitney_midranks(std::span<const double> a,
                                              std::span<const double> b) {
    if (a.empty() || b.empty() || std::max(a.size(), b.size()) > kMostMidranks) {
        return std::nullopt;
    }
    const Midranks ranks = midranks(joined(a, b));
    const std::size_t highest =
        std::accumulate(ranks.doubled.begin(), ranks.doubled.end(), std::size_t{0});
    // ways[k][sum]: how many sets of k values have this sum of doubled ranks.
    std::vector<std::vector<double>> ways(b.size() + 1, std::vector<double>(highest + 1, 0));
    ways[0][0] = 1;
    for (const std::size_t rank : ranks.doubled) {
        for (std::size_t k = b.size(); k >= 1; --k) {
            for (std::size_t sum = rank; sum <= highest; ++sum) {
                ways[k][sum] += ways[k - 1][sum - rank];
            }
        }
    }
    const std::size_t observed = doubled_sum(ranks, b.size());
    RankTest test = test_of(ways[b.size()], observed);
    test.statistic = u_of(observed, b.size());
    return test;
}

std::optional<double> mann_whitney_asymptotic(std::span<const double> a,
                                              std::span<const double> b) {
    if (a.empty() || b.empty()) {
        return std::nullopt;
    }
    const Midranks ranks = midranks(joined(a, b));
    const auto m = static_cast<double>(a.size());
    const auto n = static_cast<double>(b.size());
    const double all = m + n;
    const double variance = m * n / 12 * (all + 1 - ranks.ties / (all * (all - 1)));
    if (variance <= 0) {
        return std::nullopt;
    }
    const double u = u_of(doubled_sum(ranks, b.size()), b.size());
    const double z = (std::abs(u - m * n / 2) - 0.5) / std::sqrt(variance);
    return std::min(1.0, 2 * normal_cdf(-z));
}

}  // namespace bench::analysis
