#include "common/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> texts_with_everything_odd() {
    return {"",
            "plain",
            "a,b",
            "a\"b,c",
            "two\nlines",
            "cr\rlf\r\n",
            "=1+1",
            "+1",
            "-1",
            "@cmd",
            "\ttab",
            "\rcr",
            "'",
            "'=1+1",
            "'quoted'",
            "''",
            " =1",
            "\x1b[31mred",
            "</title><script>alert(1)</script>",
            "\xc3\xa4\xe2\x82\xac",
            "1,5",
            ";%3B",
            "=\"a\",\n\"b\""};
}

TEST(CsvText, EveryTextSurvivesWritingAndReading) {
    std::string line;
    for (const std::string& text : texts_with_everything_odd()) {
        line += (line.empty() ? "first," : ",") + csv_text_field(text);
    }
    const auto records = parse_csv(line + "\n");
    ASSERT_TRUE(records.ok()) << records.error().message();
    ASSERT_EQ(records->size(), 1U);
    std::vector<std::string> back;
    for (const std::string& field : records->front().fields) {
        back.push_back(csv_text_from_field(field));
    }
    back.erase(back.begin());
    EXPECT_EQ(back, texts_with_everything_odd());
}

TEST(CsvText, NothingASpreadsheetTakesForAFormulaStandsFirst) {
    for (const char* text : {"=1+1", "+1", "-1", "@x", "\tx", "\rx"}) {
        const auto records = parse_csv(csv_text_field(text));
        ASSERT_TRUE(records.ok());
        EXPECT_EQ(records->front().fields.front(), std::string("'") + text);
    }
    EXPECT_EQ(csv_text_field("1"), "1");
    EXPECT_EQ(csv_text_field("ns"), "ns");
}

TEST(CsvText, AQuoteThatNeutralisesNothingBelongsToTheText) {
    EXPECT_EQ(csv_text_from_field("'abc"), "'abc");
    EXPECT_EQ(csv_text_from_field("'=1"), "=1");
}

TEST(CsvText, BytesThatAreNotUtf8AreReplacedSoThatTheFileStaysReadable) {
    EXPECT_EQ(csv_text_field("a\xff"
                             "b"),
              "a\xef\xbf\xbd"
              "b");
}

TEST(CsvNumber, WholeNumbersArePlain) {
    EXPECT_EQ(csv_number(0), "0");
    EXPECT_EQ(csv_number(-0.0), "0");
    EXPECT_EQ(csv_number(1'000'000), "1000000");
    EXPECT_EQ(csv_number(-5'000'000'000.0), "-5000000000");
    EXPECT_EQ(csv_number(9'007'199'254'740'992.0), "9007199254740992");
    EXPECT_EQ(csv_number(1e18), "1000000000000000000");
}

TEST(CsvNumber, OtherNumbersReadBackToTheSameDouble) {
    for (const double value :
         {0.1, -2.5, 1.0 / 3, 1e-9, 5e-324, 1.7976931348623157e308, 1e300, 444.8466830589742}) {
        const std::string text = csv_number(value);
        EXPECT_LE(text.size(), kCsvNumberSize);
        const auto back = parse_csv_number(text);
        ASSERT_TRUE(back.ok()) << text;
        EXPECT_EQ(*back, value) << text;
    }
    EXPECT_EQ(csv_number(0.1), "0.1");
    EXPECT_EQ(csv_number(-2.5), "-2.5");
}

TEST(CsvNumber, OnlyNumbersAreRead) {
    for (const char* text : {"", " ", "1,5", "1.5x", " 1", "1 ", "nan", "inf", "-inf", "NaN",
                             "infinity", "0x10", "1e999", "+1", "1.5.2", "--1"}) {
        const auto value = parse_csv_number(text);
        EXPECT_FALSE(value.ok()) << "'" << text << "' read as " << *value;
    }
    EXPECT_EQ(*parse_csv_number("1.5"), 1.5);
    EXPECT_EQ(*parse_csv_number("-3e-2"), -0.03);
}

TEST(CsvNumberDeathTest, ANumberThatIsNoneIsAProgrammingError) {
    const double none = std::numeric_limits<double>::quiet_NaN();
#ifdef NDEBUG
    EXPECT_EQ(csv_number(none), "");
#else
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(static_cast<void>(csv_number(none)), "isfinite");
#endif
}

std::vector<std::vector<std::string>> fields_of(std::string_view text) {
    std::vector<std::vector<std::string>> all;
    const auto records = parse_csv(text);
    EXPECT_TRUE(records.ok()) << records.error().message();
    for (const CsvRecord& record : *records) {
        all.push_back(record.fields);
    }
    return all;
}

TEST(CsvParser, ReadsBothLineEndingsAndAMissingLastOne) {
    EXPECT_THAT(fields_of("a,b\r\n1,2\r\n"),
                ElementsAre(ElementsAre("a", "b"), ElementsAre("1", "2")));
    EXPECT_THAT(fields_of("a,b\n1,"), ElementsAre(ElementsAre("a", "b"), ElementsAre("1", "")));
    EXPECT_THAT(fields_of("\xef\xbb\xbf"
                          "a\n"),
                ElementsAre(ElementsAre("a")));
    EXPECT_TRUE(fields_of("").empty());
}

TEST(CsvParser, QuotedFieldsHoldSeparators) {
    EXPECT_THAT(fields_of("\"a,b\",\"c\"\"d\"\n\"e\nf\",\"\"\n"),
                ElementsAre(ElementsAre("a,b", "c\"d"), ElementsAre("e\nf", "")));
}

TEST(CsvParser, RecordsKnowTheLineTheyBeginOn) {
    const auto records = parse_csv("a\n\"b\nc\"\nd\n");
    ASSERT_TRUE(records.ok());
    ASSERT_EQ(records->size(), 3U);
    EXPECT_EQ((*records)[1].line, 2U);
    EXPECT_EQ((*records)[2].line, 4U);
}

TEST(CsvParser, DamageIsRefusedWithTheLine) {
    const std::vector<std::pair<std::string, std::string>> damaged = {
        {"a,b\n1,\"2\n3\n", "line 2: a quote is left open"},
        {"a,b\n1,\"2\"x\n", "line 2: text after a closing quote"},
        {"a,b\n1,x\"2\"\n", "line 2: a quote within"},
        {"a,b\n\"1\n\",2\n1\n", "line 4: 1 fields where the first line has 2"},
        {"a,b\n1,2,3\n", "line 2: 3 fields"},
        {"a,b\n1,2\n\n", "line 3: 1 fields"},
        {"a,b\n1\r,2\n", "line 2: a carriage return"},
    };
    for (const auto& [text, why] : damaged) {
        const auto records = parse_csv(text);
        ASSERT_FALSE(records.ok()) << text;
        EXPECT_THAT(records.error().message(), HasSubstr(why));
    }
}

}  // namespace
}  // namespace bench
