#include "analysis/permutation.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <numeric>

#include "common/random.h"
#include "common/statistics.h"

namespace bench::analysis {

namespace {

double sum_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

/// All mean(b) - mean(a) a block can have, by which of its values are called b.
std::vector<double> differences_of(const Block& block) {
    std::vector<double> values = block.a;
    values.insert(values.end(), block.b.begin(), block.b.end());
    std::vector<bool> is_b(values.size(), false);
    std::fill(is_b.begin(), is_b.begin() + static_cast<std::ptrdiff_t>(block.b.size()), true);
    std::vector<double> all;
    do {
        double a = 0;
        double b = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            (is_b[i] ? b : a) += values[i];
        }
        all.push_back(b / static_cast<double>(block.b.size()) -
                      a / static_cast<double>(block.a.size()));
    } while (std::prev_permutation(is_b.begin(), is_b.end()));
    return all;
}

double assignments_of(std::span<const Block> blocks) {
    double assignments = 1;
    for (const Block& block : blocks) {
        for (std::size_t i = 1; i <= block.b.size(); ++i) {
            assignments *= static_cast<double>(block.a.size() + i) / static_cast<double>(i);
        }
    }
    return std::round(assignments);
}

void for_each_sum(const std::vector<std::vector<double>>& choices, std::size_t at, double sum,
                  const std::function<void(double)>& visit) {
    if (at == choices.size()) {
        visit(sum);
        return;
    }
    for (const double choice : choices[at]) {
        for_each_sum(choices, at + 1, sum + choice, visit);
    }
}

double drawn_difference(const Block& block, Random& random) {
    std::vector<double> values = block.a;
    values.insert(values.end(), block.b.begin(), block.b.end());
    double b = 0;
    for (std::size_t i = 0; i < block.b.size(); ++i) {
        std::swap(values[i], values[i + random.below(values.size() - i)]);
        b += values[i];
    }
    const double a = sum_of(values) - b;
    return b / static_cast<double>(block.b.size()) - a / static_cast<double>(block.a.size());
}

/// Signs of all pairs: the bits of a number when all are taken in turn, else drawn.
class Signs {
  public:
    Signs(std::size_t n, std::uint64_t seed)
        : exact_(n < 64 && (std::uint64_t{1} << n) <= kMostAssignments),
          rounds_(exact_ ? std::uint64_t{1} << n : kDrawnAssignments),
          random_(seed),
          set_(n) {}

    [[nodiscard]] bool exact() const { return exact_; }
    [[nodiscard]] std::uint64_t rounds() const { return rounds_; }
    const std::vector<bool>& round(std::uint64_t number) {
        for (std::size_t i = 0; i < set_.size(); ++i) {
            set_[i] = exact_ ? ((number >> i) & 1U) != 0 : (random_.next() & 1U) != 0;
        }
        return set_;
    }

  private:
    bool exact_;
    std::uint64_t rounds_;
    Random random_;
    std::vector<bool> set_;
};

double abs_t(const std::vector<double>& values) {
    const double middle = std::abs(*mean(values));
    const double sd = *sample_stdev(values);
    if (sd == 0) {
        return middle == 0 ? 0 : INFINITY;
    }
    return middle / (sd / std::sqrt(static_cast<double>(values.size())));
}

}  // namespace

PermutationTest permute_means(std::span<const Block> blocks, std::uint64_t seed) {
    PermutationTest test;
    double scale = 0;
    for (const Block& block : blocks) {
        assert(!block.a.empty() && !block.b.empty());
        test.statistic += *mean(block.b) - *mean(block.a);
        for (const double value : block.a) {
            scale = std::max(scale, std::abs(value));
        }
        for (const double value : block.b) {
            scale = std::max(scale, std::abs(value));
        }
    }
    // Equal sums that were added in another order must count as equal.
    const double slack = scale * 1e-12 * static_cast<double>(blocks.size() + 1);
    std::uint64_t less = 0;
    std::uint64_t greater = 0;
    std::uint64_t beyond = 0;
    const auto count = [&](double sum) {
        ++test.assignments;
        less += sum <= test.statistic + slack ? 1U : 0U;
        greater += sum >= test.statistic - slack ? 1U : 0U;
        beyond += std::abs(sum) >= std::abs(test.statistic) - slack ? 1U : 0U;
    };
    test.exact = assignments_of(blocks) <= static_cast<double>(kMostAssignments);
    if (test.exact) {
        std::vector<std::vector<double>> choices;
        for (const Block& block : blocks) {
            choices.push_back(differences_of(block));
        }
        for_each_sum(choices, 0, 0, count);
    } else {
        Random random(seed);
        for (std::uint64_t i = 0; i < kDrawnAssignments; ++i) {
            double sum = 0;
            for (const Block& block : blocks) {
                sum += drawn_difference(block, random);
            }
            count(sum);
        }
    }
    const std::uint64_t extra = test.exact ? 0 : 1;
    const auto share = [&](std::uint64_t hits) {
        return static_cast<double>(hits + extra) / static_cast<double>(test.assignments + extra);
    };
    test.p_less = share(less);
    test.p_greater = share(greater);
    test.p_two_sided = share(beyond);
    return test;
}

std::optional<Interval> subset_mean_interval(std::span<const double> differences, double alpha,
                                             std::uint64_t seed) {
    Signs signs(differences.size(), seed);
    std::vector<double> means;
    for (std::uint64_t number = 0; number < signs.rounds(); ++number) {
        const std::vector<bool>& chosen = signs.round(number);
        double sum = 0;
        double count = 0;
        for (std::size_t i = 0; i < differences.size(); ++i) {
            if (chosen[i]) {
                sum += differences[i];
                ++count;
            }
        }
        if (count > 0) {
            means.push_back(sum / count);
        }
    }
    // M means cut the line into M + 1 parts that are equally likely to hold the truth.
    const auto parts = static_cast<double>(means.size() + 1);
    const auto k = static_cast<std::size_t>(alpha * parts);
    if (k == 0) {
        return std::nullopt;
    }
    std::sort(means.begin(), means.end());
    return Interval{.low = means[k - 1],
                    .high = means[means.size() - k],
                    .rank = k,
                    .level = 1 - 2 * static_cast<double>(k) / parts};
}

MaxT max_t(std::span<const std::vector<double>> cells, std::uint64_t seed) {
    MaxT result;
    for (const auto& cell : cells) {
        assert(cell.size() >= 2 && cell.size() == cells.front().size());
        result.abs_t.push_back(abs_t(cell));
    }
    std::vector<std::size_t> order(cells.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
        return result.abs_t[left] > result.abs_t[right];
    });
    Signs signs(cells.empty() ? 0 : cells.front().size(), seed);
    const std::uint64_t extra = signs.exact() ? 0 : 1;
    std::vector<std::uint64_t> raw(cells.size(), extra);
    std::vector<std::uint64_t> single(cells.size(), extra);
    std::vector<std::uint64_t> step(cells.size(), extra);
    const auto reaches = [&](double t, std::size_t cell) {
        return t >= result.abs_t[cell] - 1e-9 ? 1U : 0U;
    };
    std::vector<double> t(cells.size());
    for (std::uint64_t number = 0; number < signs.rounds(); ++number) {
        const std::vector<bool>& flip = signs.round(number);
        for (std::size_t cell = 0; cell < cells.size(); ++cell) {
            std::vector<double> flipped = cells[cell];
            for (std::size_t i = 0; i < flipped.size(); ++i) {
                flipped[i] = flip[i] ? -flipped[i] : flipped[i];
            }
            t[cell] = abs_t(flipped);
            raw[cell] += reaches(t[cell], cell);
        }
        double highest = 0;
        for (std::size_t place = order.size(); place-- > 0;) {
            highest = std::max(highest, t[order[place]]);
            step[order[place]] += reaches(highest, order[place]);
        }
        for (std::size_t cell = 0; cell < cells.size(); ++cell) {
            single[cell] += reaches(highest, cell);
        }
    }
    result.flips = signs.rounds();
    const auto share = [&](std::uint64_t hits) {
        return static_cast<double>(hits) / static_cast<double>(result.flips + extra);
    };
    std::transform(raw.begin(), raw.end(), std::back_inserter(result.p_raw), share);
    std::transform(single.begin(), single.end(), std::back_inserter(result.p_single_step), share);
    std::transform(step.begin(), step.end(), std::back_inserter(result.p_step_down), share);
    double highest = 0;
    for (const std::size_t cell : order) {
        highest = std::max(highest, result.p_step_down[cell]);
        result.p_step_down[cell] = highest;
    }
    return result;
}

}  // namespace bench::analysis
