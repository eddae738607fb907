#include "runner/fitted_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/table.h"

namespace bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<TableColumn> kColumns = {{"wakeup p50", "wakeup", Statistic::p50},
                                           {"avg", "wakeup", Statistic::mean},
                                           {"stdev", "wakeup", Statistic::stdev},
                                           {"work avg", "work", Statistic::mean}};

std::vector<SummaryRow> rows() {
    SummaryRow wakeup;
    wakeup.key.clients = 1;
    wakeup.metric = {"wakeup", "ns", Better::lower, ""};
    wakeup.figures = summarise(std::vector<double>(20, 1e6));
    SummaryRow work = wakeup;
    work.metric.name = "work";
    return {wakeup, work};
}

TEST(FittedTable, IsTheWholeTableWhereThereIsRoom) {
    const std::string whole = format_table(rows(), kColumns);
    const std::size_t width = whole.find('\n');
    EXPECT_EQ(format_fitted_table(rows(), kColumns, std::nullopt), whole);
    EXPECT_EQ(format_fitted_table(rows(), kColumns, width), whole);
    EXPECT_NE(format_fitted_table(rows(), kColumns, width - 1), whole);
}

TEST(FittedTable, LeavesOutMeansThatStandBesideAMedianAndSaysSo) {
    const std::string narrow = format_fitted_table(rows(), kColumns, 30);
    EXPECT_EQ(narrow,
              "clients  wakeup p50  work avg\n"
              "                 ms        ms\n"
              "      1       1.000     1.000\n"
              "\n"
              "left out of this narrow table: avg, stdev\n");
}

TEST(FittedTable, AFigureThatNothingStandsForStays) {
    const std::vector<TableColumn> columns = {{"average", "work", Statistic::mean}};
    EXPECT_THAT(format_fitted_table(rows(), columns, 5), HasSubstr("average"));
    EXPECT_THAT(format_fitted_table(rows(), columns, 5), Not(HasSubstr("left out")));
}

TEST(FittedTable, WhatIsNoTerminalHasNoWidth) {
    EXPECT_FALSE(terminal_width(-1).has_value());
}

}  // namespace
}  // namespace bench
