#include "vm/vcpu_gap.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>

namespace bench {
namespace {

TEST(VcpuGap, NamesTheLongestAndWhatOneInAHundredExceeds) {
    std::vector<std::int64_t> late(200);
    std::iota(late.rbegin(), late.rend(), 1);
    const auto json = nlohmann::json::parse(vcpu_gap_json(late, {}));
    EXPECT_EQ(json["count"], 200);
    EXPECT_EQ(json["p99_ns"], 198);
    EXPECT_EQ(json["max_ns"], 200);
    EXPECT_FALSE(json.contains("refused"));
}

TEST(VcpuGap, WhatWasNotSeenIsNull) {
    const auto few = nlohmann::json::parse(vcpu_gap_json({7}, {1}));
    EXPECT_TRUE(few["p99_ns"].is_null());
    EXPECT_EQ(few["max_ns"], 7);
    EXPECT_EQ(few["refused"], nlohmann::json::array({1}));
    EXPECT_TRUE(nlohmann::json::parse(vcpu_gap_json({}, {}))["max_ns"].is_null());
}

}  // namespace
}  // namespace bench
