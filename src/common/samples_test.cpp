#include "common/samples.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/testing/cell_records.h"

namespace bench {
namespace {

std::string rows_of(std::int64_t cell, const Series& series) {
    std::string text;
    const Status done = format_samples(cell, series, [&text](std::string_view block) {
        text += block;
        return Status();
    });
    EXPECT_TRUE(done.ok());
    return text;
}

Series series_of(const std::string& unit, std::vector<double> values) {
    return {.metric = {.name = "m", .unit = unit, .better = Better::lower, .description = {}},
            .subject = {},
            .values = std::move(values),
            .clients = {},
            .at_ns = {}};
}

TEST(Samples, ARowHasClientAndTimeWhereKnown) {
    Series series = series_of("ns", {100, 200});
    EXPECT_EQ(rows_of(3, series), "3,m,,,,100\n3,m,,,,200\n");
    series.subject = "user, one";
    series.clients = {0, 4294967295};
    series.at_ns = {-5, 9'000'000'000'000'000'000};
    EXPECT_EQ(rows_of(3, series),
              "3,m,\"user, one\",0,-5,100\n3,m,\"user, one\",4294967295,9000000000000000000,200\n");
}

TEST(Samples, DurationsAreWholeNanosecondsOfAnySize) {
    EXPECT_EQ(rows_of(1, series_of("ns", {5e9, 2.4e12, 250e9, 0.4, 1.6, -1000})),
              "1,m,,,,5000000000\n1,m,,,,2400000000000\n1,m,,,,250000000000\n1,m,,,,0\n"
              "1,m,,,,2\n1,m,,,,-1000\n");
}

TEST(Samples, CountsAreWholeAndRatiosAreNot) {
    EXPECT_EQ(rows_of(1, series_of("1", {1'000'000})), "1,m,,,,1000000\n");
    EXPECT_EQ(rows_of(1, series_of("ratio", {0.25})), "1,m,,,,0.25\n");
}

TEST(Samples, ManyRowsComeInBlocksOfBoundedSize) {
    const Series series = series_of("ns", std::vector<double>(200'000, 123456789));
    std::size_t largest = 0;
    std::size_t rows = 0;
    ASSERT_TRUE(format_samples(1, series, [&](std::string_view block) {
                    largest = std::max(largest, block.size());
                    rows += static_cast<std::size_t>(std::count(block.begin(), block.end(), '\n'));
                    EXPECT_EQ(block.back(), '\n') << "a block ends with a row";
                    return Status();
                }).ok());
    EXPECT_EQ(rows, 200'000U);
    EXPECT_LT(largest, 300'000U);
}

TEST(Samples, TheSinksErrorStopsTheWriting) {
    const Series series = series_of("ns", std::vector<double>(200'000, 1));
    int calls = 0;
    const Status done = format_samples(1, series, [&](std::string_view) -> Status {
        ++calls;
        return plain_error("write", "x", "full");
    });
    EXPECT_FALSE(done.ok());
    EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace bench
