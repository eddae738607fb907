#include "analysis/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/distributions.h"
#include "common/random.h"

namespace bench::analysis {

double expanded_tail(std::size_t n, double alpha) {
    const auto size = static_cast<double>(n);
    return normal_cdf(-std::sqrt(size / (size - 1)) * students_t_quantile(1 - alpha, size - 1));
}

std::uint64_t bootstrap_seed(std::string_view test, std::string_view metric) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    const auto mix = [&](std::string_view text) {
        for (const char byte : text) {
            hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
        }
        hash *= 0x100000001b3U;  // a byte 0 between the two
    };
    mix(test);
    mix(metric);
    return hash;
}

std::optional<BootstrapInterval> bootstrap(
    std::size_t n, const std::function<double(std::span<const std::size_t>)>& statistic,
    double tail, std::uint64_t seed, std::size_t resamples) {
    const auto k = static_cast<std::size_t>(tail * static_cast<double>(resamples + 1));
    if (n < 2 || k == 0) {
        return std::nullopt;
    }
    Random random(seed);
    std::vector<std::size_t> places(n);
    std::vector<double> values(resamples);
    for (double& value : values) {
        for (std::size_t& place : places) {
            place = random.below(n);
        }
        value = statistic(places);
    }
    std::sort(values.begin(), values.end());
    return BootstrapInterval{.low = values[k - 1], .high = values[resamples - k]};
}

}  // namespace bench::analysis
