#include "runner/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/progress.h"

using testing::HasSubstr;
using testing::Not;

namespace bench {
namespace {

SummaryRow row(std::int64_t clients, std::int64_t repetition, std::vector<double> values,
               RowStatus status = RowStatus::ok) {
    SummaryRow made;
    made.key.test = "latt";
    made.key.kernel = "6.18";
    made.key.clients = clients;
    made.key.repetition = repetition;
    made.metric = {"wakeup", "ns", Better::lower, ""};
    made.status = status;
    if (!values.empty()) {
        made.figures = summarise(values);
    }
    return made;
}

const std::vector<TableColumn> kColumns = {{"p50", "wakeup", Statistic::p50},
                                           {"p99", "wakeup", Statistic::p99},
                                           {"max", "wakeup", Statistic::max},
                                           {"n", "wakeup", Statistic::count}};

TEST(Table, OneLinePerClientCountInOneUnitPerMetric) {
    const std::string table = format_table(
        {row(10, 1, {2e6, 3e6, 4e6, 5e6, 43'974'000}), row(2, 1, {1e6, 1e6, 1.5e6, 1e6, 2e6})},
        kColumns);
    EXPECT_EQ(table,
              "clients     p50  p99     max  n\n"
              "             ms   ms      ms\n"
              "      2  ~1.000  n/a   2.000  5\n"
              "     10  ~4.000  n/a  43.974  5\n"
              "\n"
              "~    few samples lie beyond this percentile: take it as rough\n"
              "n/a  not measured, or too few samples for this percentile\n");
}

TEST(Table, RepetitionsCombineToMediansExtremesAndSums) {
    const std::string table = format_table(
        {row(1, 1, std::vector<double>(20, 1e6)), row(1, 2, std::vector<double>(20, 5e6)),
         row(1, 3, std::vector<double>(20, 2e6))},
        kColumns);
    EXPECT_THAT(table, HasSubstr("      1  2.000  n/a  5.000  60\n"));
}

TEST(Table, ALineThatIsNotOkSaysSoAndShowsNoZero) {
    const std::string table = format_table(
        {row(1, 1, std::vector<double>(20, 1e6)), row(2, 1, {}, RowStatus::not_run)}, kColumns);
    EXPECT_THAT(table, HasSubstr("      2    n/a  n/a    n/a  n/a  not-run\n"));
    EXPECT_THAT(table, Not(HasSubstr("      2      0")));
}

TEST(Table, ARepetitionThatBrokeIsLeftOutAndCounted) {
    const std::vector<double> small(20, 1e6);
    const std::vector<double> large(20, 3e6);
    // What a broken repetition had measured before must not be averaged with the others.
    const std::string table =
        format_table({row(1, 1, small), row(1, 2, {}, RowStatus::not_run), row(1, 3, large),
                      row(1, 4, std::vector<double>(20, 9e6), RowStatus::failed), row(2, 1, small),
                      row(2, 2, {}, RowStatus::failed), row(3, 1, {}, RowStatus::failed),
                      row(3, 2, {}, RowStatus::failed)},
                     kColumns);
    EXPECT_THAT(table, HasSubstr("      1  2.000  n/a  3.000   40  failed 2/4\n"));
    EXPECT_THAT(table, HasSubstr("      2  1.000  n/a  1.000   20  failed 1/2\n"));
    EXPECT_THAT(table, HasSubstr("      3    n/a  n/a    n/a  n/a  failed\n"));
    EXPECT_THAT(table, HasSubstr("\nk/n  k of n repetitions did not run or broke"));
}

TEST(Table, WhatARepetitionThatRanDidNotMeasureIsNotKnownForAll) {
    const std::string table =
        format_table({row(1, 1, std::vector<double>(20, 1e6)), row(1, 2, {})}, kColumns);
    EXPECT_THAT(table, HasSubstr("      1  n/a  n/a  n/a  n/a\n"));
    EXPECT_THAT(table, Not(HasSubstr("k/n")));
}

TEST(Table, AVaryingVariantIsAColumnAndItsControlCharactersAreNot) {
    auto first = row(1, 1, std::vector<double>(20, 1e6));
    auto second = first;
    second.key.variant = "load=a\x1b[31m\nb";
    const std::string table = format_table({first, second}, kColumns);
    EXPECT_THAT(table, HasSubstr("load=a?[31m?b"));
}

TEST(Table, ColumnsWithoutAMetricAskForTheCellsNameAndDecimalsAreAsWanted) {
    SummaryRow loops = row(30, 1, {246, 240, 247, 245});
    loops.key.kernel = "2.6.31";
    loops.key.scheduler = "CFS";
    loops.metric = {"loops", "1", Better::higher, ""};
    const std::vector<TableColumn> columns = {
        {.heading = "kernel"},
        {.heading = "scheduler"},
        {.heading = "avg", .metric = "loops", .statistic = Statistic::mean, .decimals = 0},
        {.heading = "min", .metric = "loops", .statistic = Statistic::min, .decimals = 0},
        {.heading = "stdev", .metric = "loops", .statistic = Statistic::stdev, .decimals = 1}};
    EXPECT_EQ(format_table({loops}, columns),
              "kernel  scheduler  clients  avg  min  stdev\n"
              "2.6.31  CFS             30  244  240    3.1\n");
    EXPECT_EQ(format_highlight({loops}, columns), "avg 244.5, min 240");
}

SummaryRow of_subject(const std::string& variant, const std::string& subject,
                      const std::string& metric, double value) {
    SummaryRow made = row(1, 1, {value});
    made.key.clients.reset();
    made.key.variant = variant;
    made.subject = subject;
    made.metric = {metric, "ratio", Better::none, ""};
    return made;
}

const std::vector<TableColumn> kSubjectColumns = {
    {.heading = "group",
     .text = [](const std::string& variant, const std::string&) { return variant.substr(6, 4); }},
    {.heading = "user", .text = [](const std::string&, const std::string& user) { return user; }},
    {.heading = "share", .metric = "share", .decimals = 2},
    {.heading = "F", .metric = "F", .decimals = 2}};

TEST(Table, ATextColumnMakesALineOfEachSubjectInTheirOrder) {
    std::vector<SummaryRow> rows = {of_subject("group=none", "vatsa", "share", 0.25),
                                    of_subject("group=none", "guest", "share", 0.75),
                                    of_subject("group=none", "", "F", 0.5)};
    EXPECT_EQ(format_table(rows, kSubjectColumns),
              "group  user   share     F\n"
              "none   vatsa   0.25  0.50\n"
              "none   guest   0.75  0.50\n");
    // A cell that did not run has no subjects, and its line all the same.
    rows.push_back(of_subject("group=auto", "", "F", 0));
    rows.back().figures.reset();
    rows.back().status = RowStatus::not_run;
    EXPECT_THAT(format_table(rows, kSubjectColumns),
                HasSubstr("auto            n/a   n/a  not-run\n"));
}

TEST(Table, WhatVariesBesideTextColumnsIsStillTold) {
    const std::string table =
        format_table({of_subject("cpus=0;group=none;x=1", "vatsa", "share", 0.25),
                      of_subject("cpus=0-1;group=none;x=1", "vatsa", "share", 0.75)},
                     {{.heading = "group",
                       .text = [](const std::string&, const std::string&) { return "none"; }},
                      {.heading = "share", .metric = "share", .decimals = 2}});
    EXPECT_EQ(table,
              "variant   group  share\n"
              "cpus=0-1  none    0.75\n"
              "cpus=0    none    0.25\n");
}

TEST(Bar, FitsTheTerminalHoweverNarrow) {
    using namespace std::chrono_literals;
    const std::string wide = format_bar(5, 25, 10s, "clients 6", "p50 1.000 ms", 200);
    EXPECT_EQ(wide, "[####................] 5/25  0:40 left  clients 6  (last: p50 1.000 ms)");
    for (const std::size_t width : {1U, 2U, 10U, 40U}) {
        EXPECT_LE(format_bar(5, 25, 10s, "clients 6", "p50 \u00b5", width).size(),
                  std::max<std::size_t>(width - 1, 1));
    }
    EXPECT_THAT(format_bar(0, 25, 10s, "", "", 80), Not(HasSubstr("left")));
}

}  // namespace
}  // namespace bench
