#include "analysis/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/study.h"
#include "analysis/testing/sides.h"

namespace bench::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::make_side;
using testing::SidePlan;

Side joined(const std::vector<SidePlan>& plans) {
    Side side;
    for (const SidePlan& plan : plans) {
        const Side part = make_side(plan);
        side.launches.insert(side.launches.end(), part.launches.begin(), part.launches.end());
    }
    return side;
}

TEST(Partition, KernelsSortAsVersionsAndTwoNeedNoChoice) {
    const Side side = joined({{.kernel = "6.12.0"}, {.kernel = "6.2.0", .boots = {"b"}}});
    const auto values = part_values(side, PartBy::kernel);
    EXPECT_THAT(values, ElementsAre("6.2.0", "6.12.0"));
    const auto two = choose_parts(PartBy::kernel, values, "");
    ASSERT_TRUE(two.ok());
    EXPECT_EQ(*two, std::pair(std::string("6.2.0"), std::string("6.12.0")));
    const Side part = part_of(side, PartBy::kernel, "6.2.0");
    EXPECT_EQ(part.label, "6.2.0");
    EXPECT_THAT(part.kernels(), ElementsAre("6.2.0"));
    EXPECT_EQ(part.launches.size(), side.launches.size() / 2);
}

TEST(Partition, OneOrThreeValuesAreNamed) {
    const auto one = choose_parts(PartBy::scheduler, {"EEVDF"}, "");
    ASSERT_FALSE(one.ok());
    EXPECT_THAT(one.error().message(), HasSubstr("only 'EEVDF'"));
    const auto three = choose_parts(PartBy::kernel, {"1", "2", "3"}, "");
    ASSERT_FALSE(three.ok());
    EXPECT_THAT(three.error().message(), HasSubstr("there are 3: '1', '2', '3'"));
    EXPECT_THAT(three.error().message(), HasSubstr("--by kernel=BASE,NEW"));
}

TEST(Partition, AChoiceMayHoldCommasItself) {
    const std::vector<std::string> values = {"(none)", "cpus=0,2", "cpus=1"};
    const auto two = choose_parts(PartBy::variant, values, "cpus=0,2,cpus=1");
    ASSERT_TRUE(two.ok());
    EXPECT_EQ(two->first, "cpus=0,2");
    EXPECT_EQ(two->second, "cpus=1");
    EXPECT_TRUE(choose_parts(PartBy::variant, values, "cpus=1,(none)").ok());
    for (const char* bad : {"cpus=0", "cpus=1,cpus=1", "cpus=1,", "cpus=7,cpus=1"}) {
        const auto refused = choose_parts(PartBy::variant, values, bad);
        ASSERT_FALSE(refused.ok()) << bad;
        EXPECT_THAT(refused.error().message(), HasSubstr("does not name two of '(none)', "));
    }
}

TEST(Partition, VariantsOfOneBundleAreComparedWithEachOther) {
    const Side side =
        joined({{.variant = "policy=batch"}, {.variant = "policy=idle", .level = 2, .seed = 2}});
    const Study study = make_study(part_of(side, PartBy::variant, "policy=batch"),
                                   part_of(side, PartBy::variant, "policy=idle"), {});
    EXPECT_EQ(study.answer, Answer::regression);
    EXPECT_EQ(study.fresh, "policy=idle");
}

}  // namespace
}  // namespace bench::analysis
