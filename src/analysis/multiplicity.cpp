#include "analysis/multiplicity.h"

#include <algorithm>
#include <numeric>

namespace bench::analysis {

namespace {

std::vector<std::size_t> ascending(std::span<const double> p) {
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t left, std::size_t right) { return p[left] < p[right]; });
    return order;
}

}  // namespace

std::vector<double> holm(std::span<const double> p) {
    std::vector<double> adjusted(p.size());
    double highest = 0;
    std::size_t left = p.size();
    for (const std::size_t at : ascending(p)) {
        highest = std::max(highest, std::min(1.0, static_cast<double>(left--) * p[at]));
        adjusted[at] = highest;
    }
    return adjusted;
}

std::vector<double> benjamini_hochberg(std::span<const double> p) {
    std::vector<double> adjusted(p.size());
    const std::vector<std::size_t> order = ascending(p);
    double lowest = 1;
    for (std::size_t rank = p.size(); rank > 0; --rank) {
        const std::size_t at = order[rank - 1];
        lowest =
            std::min(lowest, static_cast<double>(p.size()) * p[at] / static_cast<double>(rank));
        adjusted[at] = lowest;
    }
    return adjusted;
}

}  // namespace bench::analysis
