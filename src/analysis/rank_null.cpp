#include "analysis/rank_null.h"

#include <algorithm>
#include <cassert>

namespace bench::analysis {

namespace {

// Up to these sizes every count fits 64 bits, so that probabilities are exact fractions, rounded
// once: 2^62, and C(66, 33) = 7.2e18.
constexpr std::size_t kExactPairs = 62;
constexpr std::size_t kExactSide = 33;

std::vector<double> tails_of_counts(const std::vector<std::uint64_t>& counts) {
    std::vector<double> upper(counts.size());
    std::uint64_t sum = 0;
    for (std::size_t c = counts.size(); c-- > 0;) {
        sum += counts[c];
        upper[c] = static_cast<double>(sum);
    }
    const double total = upper.front();
    for (double& tail : upper) {
        tail /= total;
    }
    return upper;
}

std::vector<double> tails_of_probabilities(std::vector<double> probabilities) {
    double sum = 0;
    for (std::size_t c = probabilities.size(); c-- > 0;) {
        sum += probabilities[c];
        probabilities[c] = std::min(sum, 1.0);
    }
    probabilities.front() = 1;
    return probabilities;
}

std::vector<std::uint64_t> signed_rank_counts(std::size_t n) {
    std::vector<std::uint64_t> counts(n * (n + 1) / 2 + 1, 0);
    counts[0] = 1;
    for (std::size_t rank = 1; rank <= n; ++rank) {
        for (std::size_t sum = counts.size() - 1; sum >= rank; --sum) {
            counts[sum] += counts[sum - rank];
        }
    }
    return counts;
}

std::vector<double> signed_rank_probabilities(std::size_t n) {
    std::vector<double> p(n * (n + 1) / 2 + 1, 0);
    p[0] = 1;
    for (std::size_t rank = 1; rank <= n; ++rank) {
        for (std::size_t sum = p.size(); sum-- > 0;) {
            p[sum] = (p[sum] + (sum >= rank ? p[sum - rank] : 0)) / 2;
        }
    }
    return p;
}

// prod (1 - q^(m+i)) / (1 - q^i), i = 1..n. Intermediate coefficients may wrap round 2^64, and
// come back: all steps are additions and subtractions.
std::vector<std::uint64_t> mann_whitney_counts(std::size_t m, std::size_t n) {
    std::vector<std::uint64_t> counts(m * n + 1, 0);
    counts[0] = 1;
    for (std::size_t i = 1; i <= n; ++i) {
        for (std::size_t u = counts.size(); u-- > m + i;) {
            counts[u] -= counts[u - m - i];
        }
        for (std::size_t u = i; u < counts.size(); ++u) {
            counts[u] += counts[u - i];
        }
    }
    return counts;
}

// The largest value of all is one of the m with probability m/(m+n): then it beats all n.
std::vector<double> mann_whitney_probabilities(std::size_t m, std::size_t n) {
    std::vector<std::vector<double>> by_n(n + 1, std::vector<double>{1});
    for (std::size_t i = 1; i <= m; ++i) {
        for (std::size_t j = 1; j <= n; ++j) {
            const double share = static_cast<double>(i) / static_cast<double>(i + j);
            std::vector<double> p(i * j + 1, 0);
            for (std::size_t u = 0; u < by_n[j].size(); ++u) {
                p[u + j] += share * by_n[j][u];
            }
            for (std::size_t u = 0; u < by_n[j - 1].size(); ++u) {
                p[u] += (1 - share) * by_n[j - 1][u];
            }
            by_n[j] = std::move(p);
        }
    }
    return by_n[n];
}

}  // namespace

RankNull RankNull::signed_rank(std::size_t n) {
    assert(n >= 1 && n <= kMostReplications);
    return RankNull(n <= kExactPairs ? tails_of_counts(signed_rank_counts(n))
                                     : tails_of_probabilities(signed_rank_probabilities(n)));
}

RankNull RankNull::mann_whitney(std::size_t m, std::size_t n) {
    assert(m >= 1 && m <= kMostReplications && n >= 1 && n <= kMostReplications);
    return RankNull(std::max(m, n) <= kExactSide
                        ? tails_of_counts(mann_whitney_counts(m, n))
                        : tails_of_probabilities(mann_whitney_probabilities(m, n)));
}

double RankNull::upper_tail(std::size_t c) const {
    return c < upper_.size() ? upper_[c] : 0;
}

double RankNull::lower_tail(std::size_t c) const {
    return c >= max() ? 1 : upper_[max() - c];
}

std::size_t RankNull::interval_rank(double alpha) const {
    std::size_t k = 0;
    while (k < max() && lower_tail(k) <= alpha) {
        ++k;
    }
    return k;
}

}  // namespace bench::analysis
