#include "analysis/clusters.h"

#include "common/statistics.h"

namespace bench::analysis {

std::optional<Clusters> cluster_effect(std::span<const std::vector<double>> runs) {
    double samples = 0;
    double sum = 0;
    double squared_sizes = 0;
    for (const auto& run : runs) {
        if (run.empty()) {
            return std::nullopt;
        }
        const auto size = static_cast<double>(run.size());
        samples += size;
        squared_sizes += size * size;
        sum += *mean(run) * size;
    }
    const auto count = static_cast<double>(runs.size());
    if (count < 2 || samples <= count) {
        return std::nullopt;
    }
    double between = 0;
    double within = 0;
    for (const auto& run : runs) {
        const double middle = *mean(run);
        const double off = middle - sum / samples;
        between += static_cast<double>(run.size()) * off * off;
        for (const double value : run) {
            within += (value - middle) * (value - middle);
        }
    }
    Clusters result;
    result.ms_between = between / (count - 1);
    result.ms_within = within / (samples - count);
    // Of runs of unequal length, the length that counts in the analysis of variance.
    const double size = (samples - squared_sizes / samples) / (count - 1);
    const double total = result.ms_between + (size - 1) * result.ms_within;
    if (total == 0) {
        return std::nullopt;
    }
    result.icc = (result.ms_between - result.ms_within) / total;
    result.design_effect = 1 + (size - 1) * result.icc;
    result.effective = samples / result.design_effect;
    return result;
}

}  // namespace bench::analysis
