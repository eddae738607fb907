#include "latt/classic_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "latt/classic_output.h"

namespace bench::latt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const std::string kHead =
    "\nParameters: min_wait=100ms, max_wait=500ms, clients=8\nEntries logged: 176\n";
const std::string kWakeup =
    "\nWakeup averages\n-------------------------------------\n"
    "\tMax\t\t   43974 usec\n\tAvg\t\t   14512 usec\n"
    "\tStdev\t\t   11915 usec\n\tStdev mean\t     898 usec\n";
const std::string kWork =
    "\nWork averages\n-------------------------------------\n"
    "\tMax\t\t  150000 usec\n\tAvg\t\t   20000 usec\n"
    "\tStdev\t\t    5000 usec\n\tStdev mean\t     377 usec\n";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

ImportedCell must_import(const std::string& text) {
    auto cell = import_classic(text);
    EXPECT_TRUE(cell.ok()) << cell.error().message() << "\n" << text;
    return cell ? std::move(*cell) : ImportedCell{};
}

/// The message of a text that must be refused.
std::string refused(const std::string& text) {
    const auto cell = import_classic(text);
    EXPECT_FALSE(cell.ok()) << text;
    return cell ? std::string() : cell.error().message();
}

TEST(ClassicImport, ReadsEveryFigureAndInventsNone) {
    const ImportedCell cell = must_import(kHead + kWakeup + kWork);
    EXPECT_EQ(cell.clients, 8);
    EXPECT_THAT(cell.variant, IsEmpty());
    EXPECT_THAT(cell.outcome.series, IsEmpty());
    EXPECT_THAT(cell.outcome.taints, IsEmpty());
    ASSERT_EQ(cell.outcome.summaries.size(), 2U);
    const ReadySummary& wakeup = cell.outcome.summaries[0];
    EXPECT_EQ(wakeup.metric.name, "wakeup");
    EXPECT_EQ(wakeup.metric.unit, "ns");
    EXPECT_EQ(wakeup.metric.better, Better::lower);
    EXPECT_EQ(wakeup.summary.count, 176U);
    EXPECT_EQ(wakeup.summary.max, 43'974'000);
    EXPECT_EQ(wakeup.summary.mean, 14'512'000);
    EXPECT_EQ(wakeup.summary.stdev, 11'915'000);
    for (const auto figure : {wakeup.summary.min, wakeup.summary.p50, wakeup.summary.p90,
                              wakeup.summary.p95, wakeup.summary.p99, wakeup.summary.p999}) {
        EXPECT_FALSE(figure.has_value());
    }
    EXPECT_EQ(cell.outcome.summaries[1].metric.name, "work");
    EXPECT_EQ(cell.outcome.summaries[1].summary.count, 176U);
    EXPECT_EQ(cell.outcome.summaries[1].summary.mean, 20'000'000);
    EXPECT_EQ(cell.outcome.details["wakeup_stdev_mean_ns"], 898'000);
    EXPECT_EQ(cell.outcome.details["work_stdev_mean_ns"], 377'000);
    EXPECT_EQ(cell.outcome.details["min_wait_ns"], 100'000'000);
}

TEST(ClassicImport, ReadsWhatOurOwnClassicPrints) {
    for (const char* name : {"work", "no-work", "one-entry", "no-entries"}) {
        std::ifstream file(std::string(BENCH_TEST_DATA_DIR) + "/latt-classic-" + name + ".txt");
        std::ostringstream text;
        text << file.rdbuf();
        const ImportedCell cell = must_import(text.str());
        EXPECT_FALSE(cell.outcome.summaries.empty()) << name;
    }
}

TEST(ClassicImport, OptionsThatTheOutputTellsMakeTheVariant) {
    const std::string head =
        replaced(kHead, "min_wait=100ms, max_wait=500ms", "min_wait=0ms, max_wait=3ms");
    const ImportedCell cell = must_import(head + kWakeup);
    EXPECT_THAT(cell.variant,
                ElementsAre(Pair("max_wait", "3ms"), Pair("min_wait", "0s"), Pair("work", "0B")));
    EXPECT_EQ(cell.outcome.summaries.size(), 1U) << "no row for work that was not done";
}

TEST(ClassicImport, OneEntryHasNoDeviationAndNoneHasNoFigures) {
    for (const char* printed : {"0", "nan", "-nan"}) {
        std::string text = replaced(kHead, "176", "1") + kWakeup;
        text = replaced(text, "11915", printed);
        text = replaced(text, "898", printed);
        const Summary one = must_import(text).outcome.summaries[0].summary;
        EXPECT_EQ(one.max, 43'974'000);
        EXPECT_FALSE(one.stdev.has_value()) << printed;
    }
    const ImportedCell none = must_import(replaced(kHead, "176", "0"));
    ASSERT_EQ(none.outcome.summaries.size(), 1U);
    EXPECT_EQ(none.outcome.summaries[0].summary.count, 0U);
    EXPECT_FALSE(none.outcome.summaries[0].summary.max.has_value());
    EXPECT_THAT(none.variant, IsEmpty()) << "without averages nothing tells whether there was work";
}

TEST(ClassicImport, BlanksTabsAndCarriageReturnsCountForNothing) {
    std::string text;
    for (const char c : kHead + kWakeup + kWork) {
        text += c == '\t' ? std::string("      ") : c == '\n' ? " \t\r\n" : std::string(1, c);
    }
    EXPECT_EQ(must_import(text).outcome.summaries[1].summary.max, 150'000'000);
    while (text.back() == '\n' || text.back() == '\r' || text.back() == ' ') {
        text.pop_back();
    }
    EXPECT_EQ(must_import(text).outcome.details["work_stdev_mean_ns"], 377'000);
}

TEST(ClassicImport, WhatTheLoadPrintedBeforeIsSkipped) {
    EXPECT_EQ(must_import("  CC  a.o\nWakeup averages\n" + kHead + kWakeup).clients, 8);
}

TEST(ClassicImport, LargeTimesAreExactAndTooLargeOnesRefused) {
    std::string text = kHead + kWakeup;
    EXPECT_EQ(
        must_import(replaced(text, "43974", "9007199254740")).outcome.summaries[0].summary.max,
        9'007'199'254'740'000);
    for (const char* large : {"9007199254741", "99999999999999999999999999"}) {
        EXPECT_THAT(refused(replaced(text, "43974", large)),
                    HasSubstr("line 7: " + std::string(large) + " is not 0..9007199254740"));
    }
}

TEST(ClassicImport, FiguresThatAreNoWholeNumbersAreRefused) {
    for (const char* bad :
         {"43974,5", "43.974", "43,974", "-43974", "0x10", "1e6", "nan", "inf", ""}) {
        EXPECT_THAT(refused(replaced(kHead + kWakeup, "43974", bad)), HasSubstr("line 7: 'Max"))
            << bad;
    }
    EXPECT_THAT(refused(replaced(kHead + kWakeup, "43974 usec", "43974 msec")),
                HasSubstr("line 7"));
    EXPECT_THAT(refused(replaced(kHead + kWakeup, "14512", "43975")),
                HasSubstr("line 8: the average is above the maximum"));
}

TEST(ClassicImport, ParametersOutOfRangeAreRefused) {
    const std::string text = kHead + kWakeup;
    EXPECT_THAT(refused(replaced(text, "clients=8", "clients=0")),
                HasSubstr("line 2: 0 is not 1.."));
    EXPECT_THAT(refused(replaced(text, "clients=8", "clients=1000001")), HasSubstr("line 2"));
    EXPECT_THAT(refused(replaced(text, "max_wait=500ms", "max_wait=86400001ms")),
                HasSubstr("line 2"));
    EXPECT_THAT(refused(replaced(text, "clients=8", "clients=8 verbose")), HasSubstr("line 2"));
    EXPECT_THAT(refused(replaced(text, "logged: 176", "logged: many")), HasSubstr("line 3"));
}

TEST(ClassicImport, AnOutputThatWasCutOffIsRefused) {
    const std::string whole = kHead + kWakeup + kWork;
    const std::string without_work = kHead + kWakeup;
    std::size_t refusals = 0;
    for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
        const std::string part = whole.substr(0, size);
        // Between the blocks it can't be told from an output without work.
        if (size + 1 >= without_work.size() && size <= without_work.size() + 1) {
            continue;
        }
        EXPECT_THAT(refused(part), HasSubstr("line ")) << part;
        ++refusals;
    }
    EXPECT_GT(refusals, 100U);
    EXPECT_THAT(refused(kHead), HasSubstr("the output ends where 'Wakeup averages' should follow"));
}

TEST(ClassicImport, ASecondOutputIsNamedByItsLine) {
    const std::string one = kHead + kWakeup + kWork;
    EXPECT_THAT(refused(one + one), HasSubstr("line 19: a second output begins here"));
    EXPECT_THAT(refused(replaced(kHead, "176", "0") + one), HasSubstr("line 5: a second output"));
}

TEST(ClassicImport, OtherTextIsRefused) {
    EXPECT_THAT(refused(""), HasSubstr("line 1: up to here no line begins with 'Parameters:'"));
    EXPECT_THAT(refused("a\nb\nc\n"), HasSubstr("line 3"));
    EXPECT_THAT(refused(std::string(1 << 20, '9')), HasSubstr("line 1"));
    EXPECT_THAT(refused("Parameters: min_wait=" + std::string(1 << 20, '9')), HasSubstr("line 1"));
    EXPECT_THAT(refused(kHead + kWakeup + kWork + "bye\n"),
                HasSubstr("line 18: 'bye' should be 'the end'"));
}

}  // namespace
}  // namespace bench::latt
