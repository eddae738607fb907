#include "analysis/expected_interval.h"

#include <algorithm>

namespace bench::analysis {

std::vector<double> fill_expected_interval(std::span<const double> values, double interval) {
    std::vector<double> filled(values.begin(), values.end());
    for (const double value : values) {
        double missed = value - interval;
        while (missed >= interval) {
            filled.push_back(missed);
            missed -= interval;
        }
    }
    std::sort(filled.begin(), filled.end());
    return filled;
}

}  // namespace bench::analysis
