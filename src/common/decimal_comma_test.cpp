#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <sstream>

#include "common/bundle.h"
#include "common/csv.h"
#include "common/file.h"
#include "common/samples.h"
#include "common/testing/cell_records.h"
#include "common/testing/comma_locale.h"
#include "common/testing/temp_folder.h"

namespace bench {
namespace {

using testing::CommaLocale;
using ::testing::HasSubstr;
using testing::measured_cell;
using testing::TempFolder;

/// A cell with fractions, large numbers and a fraction in run.json.
CellRecord cell_with_fractions() {
    CellRecord record = measured_cell(1);
    const Metric ratio = {
        .name = "share", .unit = "ratio", .better = Better::none, .description = "A share."};
    record.metrics.push_back(ratio);
    record.series.push_back({.metric = ratio,
                             .subject = {},
                             .values = {0.25, 1234567.5, 0.1},
                             .clients = {},
                             .at_ns = {}});
    record.series[0].values[0] = 5e9;
    record.details = {{"load_average", 1234.5}};
    return record;
}

/// Writes the cell and gives back all three files' text.
std::vector<std::string> written(const std::filesystem::path& dir) {
    auto writer = BundleWriter::create(dir, {{"threshold", 0.5}});
    EXPECT_TRUE(writer.ok());
    EXPECT_TRUE(writer->add(cell_with_fractions()).ok());
    EXPECT_TRUE(writer->finish("complete").ok());
    const auto bundle = read_bundle(dir);
    EXPECT_TRUE(bundle.ok()) << bundle.error().message();
    return {*read_file(dir / "run.json"), *read_file(dir / "summary.csv"), *read_samples(*bundle)};
}

class DecimalComma : public ::testing::Test {
  protected:
    /// The locale is really in force, or the test would prove nothing.
    static void expect_commas() {
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), "%.1f", 1234.5);
        ASSERT_STREQ(text.data(), "1234,5");
        std::ostringstream stream;
        stream << 1234.5;
        ASSERT_EQ(stream.str(), "1.234,5");
    }

    TempFolder folder_;
};

TEST_F(DecimalComma, AllFilesAreTheSameAsWithoutIt) {
    const std::vector<std::string> plain = written(folder_ / "plain");
    const CommaLocale locale;
    expect_commas();
    EXPECT_EQ(written(folder_ / "comma"), plain);
}

TEST_F(DecimalComma, ABundleReadsBackToTheSameNumbers) {
    written(folder_ / "plain");
    const auto plain = read_bundle(folder_ / "plain");
    ASSERT_TRUE(plain.ok());
    const CommaLocale locale;
    expect_commas();
    const auto comma = read_bundle(folder_ / "plain");
    ASSERT_TRUE(comma.ok()) << comma.error().message();
    EXPECT_EQ(comma->run, plain->run);
    EXPECT_EQ(comma->run["threshold"], 0.5);
    EXPECT_EQ(comma->run["cells"][0]["load_average"], 1234.5);
    ASSERT_EQ(comma->rows.size(), plain->rows.size());
    for (std::size_t i = 0; i < plain->rows.size(); ++i) {
        EXPECT_EQ(format_summary_row(comma->rows[i]), format_summary_row(plain->rows[i]));
        EXPECT_EQ(comma->rows[i].figures->mean, plain->rows[i].figures->mean);
    }
}

TEST_F(DecimalComma, NumbersAreWrittenAndReadWithAPoint) {
    const CommaLocale locale;
    expect_commas();
    EXPECT_EQ(csv_number(1234.5), "1234.5");
    EXPECT_EQ(csv_number(1234567), "1234567");
    EXPECT_EQ(*parse_csv_number("1234.5"), 1234.5);
    EXPECT_FALSE(parse_csv_number("1,5").ok());
}

TEST_F(DecimalComma, ANumberWithACommaIsRefusedInEveryLocale) {
    const SummaryRow row{.key = {},
                         .subject = {},
                         .metric = {.name = "m", .unit = "ratio", .better = {}, .description = {}},
                         .status = {},
                         .figures = summarise(std::vector<double>{1.5})};
    const std::string good = std::string(summary_header()) + "\n" + format_summary_row(row) + "\n";
    std::string bad = good;
    const std::size_t at = bad.find("1.5");
    ASSERT_NE(at, std::string::npos);
    bad.replace(at, 3, "\"1,5\"");
    const auto refuse = [&] {
        ASSERT_TRUE(parse_summary(good).ok());
        const auto rows = parse_summary(bad);
        ASSERT_FALSE(rows.ok());
        EXPECT_THAT(rows.error().message(), HasSubstr("'1,5' is not a number"));
    };
    refuse();
    const CommaLocale locale;
    expect_commas();
    refuse();
}

}  // namespace
}  // namespace bench
