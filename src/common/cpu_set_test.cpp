#include "common/cpu_set.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

CpuSet cpus(std::string_view list) {
    const Result<CpuSet> set = CpuSet::parse(list);
    EXPECT_TRUE(set.ok()) << list;
    return set ? *set : CpuSet();
}

TEST(CpuSet, HoldsMoreThanAThousandCpus) {
    const CpuSet set = cpus("0-1279");
    EXPECT_EQ(set.size(), 1280U);
    EXPECT_TRUE(set.contains(1279));
    EXPECT_FALSE(set.contains(1280));
    EXPECT_EQ(set.to_list(), "0-1279");
}

TEST(CpuSet, Keeps64ApartFrom0) {
    EXPECT_FALSE(cpus("64").contains(0));
    EXPECT_FALSE(cpus("0") == cpus("64"));
    EXPECT_EQ(cpus("0-63").size(), 64U);
    EXPECT_EQ(cpus("64").to_mask(), "1,00000000,00000000");
}

TEST(CpuSet, PrintsMasksInWordsOf32) {
    EXPECT_EQ(cpus("0-127").to_mask(), "ffffffff,ffffffff,ffffffff,ffffffff");
    EXPECT_EQ(cpus("0,32-63").to_mask(), "ffffffff,00000001");
    EXPECT_EQ(cpus("0-3").to_mask(), "f");
    EXPECT_EQ(CpuSet().to_mask(), "0");
}

TEST(CpuSet, ReadsTheKernelsListFormat) {
    EXPECT_EQ(cpus("0-3,8,10-11").cpus(), (std::vector<int>{0, 1, 2, 3, 8, 10, 11}));
    EXPECT_EQ(cpus("8,0-3,2-4").to_list(), "0-4,8");
    EXPECT_EQ(cpus("0-31:2/8").to_list(), "0-1,8-9,16-17,24-25");
    EXPECT_EQ(cpus("1-9:1/4").to_list(), "1,5,9");
    EXPECT_EQ(cpus("0-3:4/4").to_list(), "0-3");
    EXPECT_TRUE(cpus("").empty());
    EXPECT_EQ(cpus("").to_list(), "");
    EXPECT_EQ(cpus("1048575").to_list(), "1048575");
}

TEST(CpuSet, RefusesWhatIsNoList) {
    for (const char* bad : {",",       "0,",    ",0",      "0,,1",
                            "-1",      "3-1",   "a",       "0-",
                            "0-3:",    "0-3:1", "0-3:0/2", "0-3:3/2",
                            "0-3:1/0", "3:1/2", "1048576", "99999999999999999999",
                            "0 - 3",   " 0",    "0\n",     "0x1",
                            "+1",      "1.5",   "0--3",    "0-3:1/2x",
                            "(null)"}) {
        const Result<CpuSet> set = CpuSet::parse(bad);
        ASSERT_FALSE(set.ok()) << bad;
        EXPECT_EQ(set.error().code, 0) << bad;
        EXPECT_EQ(set.error().message().find('\n', 20 + std::string_view(bad).size()),
                  std::string::npos);
    }
}

TEST(CpuSet, BoundsRepeatedRanges) {
    std::string list = "0-1048575";
    for (int i = 0; i < 1000; ++i) {
        list += ",0-1048575";
    }
    EXPECT_FALSE(CpuSet::parse(list).ok());
}

TEST(CpuSet, ComparesAndCombines) {
    const CpuSet set = cpus("1,3,5-7");
    EXPECT_EQ(set.intersection(cpus("3-6")).to_list(), "3,5-6");
    EXPECT_EQ(set.minus(cpus("3-6")).to_list(), "1,7");
    EXPECT_TRUE(set.contains_all(cpus("1,7")));
    EXPECT_TRUE(set.contains_all(CpuSet()));
    EXPECT_FALSE(set.contains_all(cpus("1,2")));
    EXPECT_EQ(CpuSet({7, 1, 5, 3, 6, 1}), set);
}

}  // namespace
}  // namespace bench
