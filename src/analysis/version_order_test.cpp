#include "analysis/version_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace bench::analysis {
namespace {

using Versions = std::vector<std::string>;

Versions sorted(Versions versions) {
    // From the end, so that an order that does nothing is seen.
    std::sort(versions.rbegin(), versions.rend());
    std::sort(versions.begin(), versions.end(), version_less);
    return versions;
}

TEST(VersionOrder, NumbersCountByTheirValue) {
    const Versions expected = {"6.9.12",  "6.10-rc3", "6.10.1",  "7.0.5-2",
                               "7.0.8-1", "7.0.10-1", "7.0.10-2"};
    EXPECT_EQ(sorted(expected), expected);
}

TEST(VersionOrder, ACandidateComesBeforeItsRelease) {
    const Versions expected = {"6.11.9", "6.12-rc2",   "6.12.0-rc3",  "6.12-rc10", "6.12",
                               "6.12.1", "6.13.0-rc1", "6.13.0-rc1+", "6.13.0"};
    EXPECT_EQ(sorted(expected), expected);
}

TEST(VersionOrder, ATildeLeadsToWhatItPrecedes) {
    const Versions expected = {"6.6.87~dirty", "6.6.87", "6.6.87+", "6.6.87-1"};
    EXPECT_EQ(sorted(expected), expected);
}

TEST(VersionOrder, AnyTextHasAPlace) {
    const Versions odd = {"",   "a",      "v6.1",       "6.1-rc", "rc1", "-rc1",
                          "00", "0",      "6..1",       "6.1.0",  "6.1", "5.16.2-v5.16-x",
                          "~",  ".0-rc2", "6.1-arch1-1"};
    for (const auto& left : odd) {
        EXPECT_FALSE(version_less(left, left)) << left;
        for (const auto& right : odd) {
            if (left == right) {
                continue;
            }
            EXPECT_NE(version_less(left, right), version_less(right, left)) << left << " " << right;
            for (const auto& third : odd) {
                EXPECT_FALSE(version_less(left, right) && version_less(right, third) &&
                             !version_less(left, third))
                    << left << " " << right << " " << third;
            }
        }
    }
}

}  // namespace
}  // namespace bench::analysis
