#include "common/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using testing::ElementsAre;
using testing::HasSubstr;

namespace bench {
namespace {

using namespace std::chrono_literals;

TEST(Duration, ReadsEachUnitExactly) {
    EXPECT_EQ(*parse_duration("30s"), 30s);
    EXPECT_EQ(*parse_duration("1.5ms"), 1500us);
    EXPECT_EQ(*parse_duration("100us"), 100us);
    EXPECT_EQ(*parse_duration("100\u00b5s"), 100us);
    EXPECT_EQ(*parse_duration("250ns"), 250ns);
    EXPECT_EQ(*parse_duration("10m"), 10min);
    EXPECT_EQ(*parse_duration("2h"), 2h);
    EXPECT_EQ(*parse_duration("0.1h"), 6min);
    EXPECT_EQ(*parse_duration("0.000000001s"), 1ns);
    EXPECT_EQ(*parse_duration("0"), 0ns);
}

TEST(Duration, TheSameTimeInThreeUnitsIsOnePlan) {
    EXPECT_EQ(*parse_duration("10ms"), *parse_duration("10000us"));
    EXPECT_EQ(*parse_duration("10ms"), *parse_duration("0.01s"));
}

TEST(Duration, LongerThan32BitsHold) {
    EXPECT_EQ(parse_duration("2400000000us")->count(), 2'400'000'000'000);
    EXPECT_EQ(*parse_duration("2400000000us"), 2400s);
}

TEST(Duration, BareNumberIsRefusedAndTheUnitsAreNamed) {
    const auto result = parse_duration("10");
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.error().detail, HasSubstr("'10' has no unit"));
    EXPECT_THAT(result.error().detail, HasSubstr("ms"));
}

TEST(Duration, LooseReadingIsRefused) {
    for (const char* text :
         {"", "-1s", "nan", "1e3s", "1e3x", "4x", "=4s", "1 s", " 1s", "1s ", "1.s", ".5s", "1,5s",
          "0.1ns", "1.0000000001s", "inf", "99999999999h", "0x1s"}) {
        EXPECT_FALSE(parse_duration(text).ok()) << text;
    }
}

TEST(Duration, FormatIsPlainAndReadsBack) {
    EXPECT_EQ(format_duration(100ms), "100ms");
    EXPECT_EQ(format_duration(1500us), "1.5ms");
    EXPECT_EQ(format_duration(30s), "30s");
    EXPECT_EQ(format_duration(0ns), "0s");
    for (const Duration d : {1ns, 999ns, 1000ns, 1234567ns, 3600s + 1ns, Duration::max()}) {
        EXPECT_EQ(*parse_duration(format_duration(d)), d) << format_duration(d);
    }
}

TEST(Duration, HumanFormKeepsFourDigits) {
    EXPECT_EQ(format_duration_human(14'512'345ns), "14.51 ms");
    EXPECT_EQ(format_duration_human(830ns), "830 ns");
    EXPECT_EQ(format_duration_human(5s), "5.000 s");
    EXPECT_EQ(format_duration_human(999'999ns), "1.000 ms");
    EXPECT_EQ(format_duration_human(-1500ns), "-1.500 us");
    EXPECT_EQ(format_duration_human(250s), "250.0 s");
}

TEST(Size, ReadsBinaryAndDecimalUnits) {
    EXPECT_EQ(parse_size("64KiB")->bytes, 65536U);
    EXPECT_EQ(parse_size("64kB")->bytes, 64000U);
    EXPECT_EQ(parse_size("1.5MiB")->bytes, 1572864U);
    EXPECT_EQ(parse_size("0")->bytes, 0U);
    for (const char* text : {"64", "64K", "-1B", "0.1B", "64 KiB", "99999999999GiB"}) {
        EXPECT_FALSE(parse_size(text).ok()) << text;
    }
}

TEST(Size, FormatReadsBack) {
    EXPECT_EQ(format_size(ByteSize{65536}), "64KiB");
    EXPECT_EQ(format_size(ByteSize{1000}), "1000B");
    EXPECT_EQ(format_size(ByteSize{0}), "0B");
}

TEST(Integer, ReadsWholeNumbersOnly) {
    EXPECT_EQ(*parse_integer("25", 1, 100), 25);
    EXPECT_EQ(*parse_integer("-5", -20, 19), -5);
    for (const char* text : {"", "0", "-1", "4x", "=4", "+4", " 4", "4 ", "1e2", "0x4", "101",
                             "99999999999999999999"}) {
        const auto result = parse_integer(text, 1, 100);
        ASSERT_FALSE(result.ok()) << text;
        EXPECT_THAT(result.error().detail, HasSubstr("from 1 to 100"));
    }
}

TEST(IntegerList, ReadsNumbersListsAndRanges) {
    EXPECT_THAT(*parse_integer_list("8", 1, 100), ElementsAre(8));
    EXPECT_THAT(*parse_integer_list("1,2,4,8", 1, 100), ElementsAre(1, 2, 4, 8));
    EXPECT_THAT(*parse_integer_list("1..4,8,2", 1, 100), ElementsAre(1, 2, 3, 4, 8));
    EXPECT_THAT(*parse_integer_list("1..25:10", 1, 100), ElementsAre(1, 11, 21));
    EXPECT_EQ(parse_integer_list("1..25", 1, 100)->size(), 25U);
}

TEST(IntegerList, RefusesWhatIsNotAList) {
    for (const char* text : {"", "5..1", "1..", "..5", "1,,2", "1,", "1..5:0", "1..5:", "0..5",
                             "1...5", "1..200", "99999999999", "1..2..3"}) {
        EXPECT_FALSE(parse_integer_list(text, 1, 100).ok()) << text;
    }
    EXPECT_FALSE(parse_integer_list("1..1000000", 1, 2'000'000).ok());
}

}  // namespace
}  // namespace bench
