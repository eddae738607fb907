#include "analysis/distributions.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace bench::analysis {

namespace bm = boost::math;

double normal_cdf(double z) {
    return bm::cdf(bm::normal(), z);
}

double normal_quantile(double p) {
    return bm::quantile(bm::normal(), p);
}

double students_t_quantile(double p, double df) {
    return bm::quantile(bm::students_t(df), p);
}

double students_t_upper_tail(double t, double df) {
    return bm::cdf(bm::complement(bm::students_t(df), t));
}

double binomial_cdf(std::uint64_t n, double q, std::uint64_t k) {
    if (k >= n) {
        return 1;
    }
    return bm::cdf(bm::binomial(static_cast<double>(n), q), static_cast<double>(k));
}

}  // namespace bench::analysis
