#include "analysis/welch.h"

#include <cmath>

#include "analysis/distributions.h"
#include "common/statistics.h"

namespace bench::analysis {

std::optional<Welch> welch(std::span<const double> a, std::span<const double> b) {
    const auto sd_a = sample_stdev(a);
    const auto sd_b = sample_stdev(b);
    if (!sd_a || !sd_b || (*sd_a == 0 && *sd_b == 0)) {
        return std::nullopt;
    }
    const auto m = static_cast<double>(a.size());
    const auto n = static_cast<double>(b.size());
    const double error_a = *sd_a * *sd_a / m;
    const double error_b = *sd_b * *sd_b / n;
    const double error = std::sqrt(error_a + error_b);
    Welch result;
    result.difference = *mean(a) - *mean(b);
    result.t = result.difference / error;
    result.df = (error_a + error_b) * (error_a + error_b) /
                (error_a * error_a / (m - 1) + error_b * error_b / (n - 1));
    result.p_two_sided = 2 * students_t_upper_tail(std::abs(result.t), result.df);
    const double half = students_t_quantile(0.975, result.df) * error;
    result.low = result.difference - half;
    result.high = result.difference + half;
    return result;
}

}  // namespace bench::analysis
