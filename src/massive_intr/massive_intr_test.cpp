#include "massive_intr/massive_intr.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>

#include "common/testing/fixture_tree.h"
#include "common/testing/scoped_stop_source.h"

namespace bench::massive_intr {
namespace {

using namespace std::chrono_literals;
using bench::testing::FixtureTree;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// The benchmark with options as a user gives them, and what a runner puts around it.
class MassiveIntrTest : public ::testing::Test {
  protected:
    static void parse(MassiveIntr& benchmark, std::vector<std::string> arguments) {
        CLI::App app;
        benchmark.add_options(app);
        std::reverse(arguments.begin(), arguments.end());
        app.parse(arguments);
    }

    Result<CellOutcome> run(MassiveIntr& benchmark, CellPlan plan) {
        const SystemRoot system;
        return benchmark.run({.plan = plan, .system = system, .stop = *stop_, .settings = {}});
    }

    Status prepare(MassiveIntr& benchmark) { return benchmark.prepare({}, SystemRoot(), *stop_); }

  private:
    bench::testing::ScopedStopSource stop_;
};

const Series& find(const CellOutcome& outcome, std::string_view name) {
    for (const Series& series : outcome.series) {
        if (series.metric.name == name && series.subject.empty()) {
            return series;
        }
    }
    ADD_FAILURE() << "no series " << name;
    static const Series none;
    return none;
}

const CellPlan kSmall{.clients = 2, .duration = 100ms, .seed = 1};

TEST_F(MassiveIntrTest, MeasuresACellAndRecordsWhatTellsCellsApart) {
    MassiveIntr benchmark;
    parse(benchmark, {"--work=1ms", "--sleep=2ms", "--loops-per-ms=1000"});
    const auto outcome = run(benchmark, kSmall);
    ASSERT_TRUE(outcome.ok()) << outcome.error().message();
    EXPECT_THAT(find(*outcome, "loops").values, SizeIs(2));
    EXPECT_THAT(find(*outcome, "jain").values, SizeIs(1));
    EXPECT_THAT(find(*outcome, "work_rate").values, SizeIs(1));
    EXPECT_THAT(find(*outcome, "cpu_share").values, SizeIs(2));
    EXPECT_THAT(find(*outcome, "oversleep").values, Not(IsEmpty()));
    EXPECT_THAT(outcome->workers, SizeIs(2));
    const Json& details = outcome->details;
    EXPECT_EQ(details["work_ns"], 1'000'000);
    EXPECT_EQ(details["sleep_ns"], 2'000'000);
    EXPECT_EQ(details["loops_per_ms"], 1000);
    EXPECT_EQ(details["loops_per_ms_given"], true);
    EXPECT_TRUE(details["calibration"].is_null());
    EXPECT_GT(details["timer_resolution_ns"], 0);
    ASSERT_THAT(details["processes"], SizeIs(2));
    EXPECT_EQ(details["processes"][1]["process"], 1);
    EXPECT_NE(details["processes"][0]["pid"], details["processes"][1]["pid"]);
}

TEST_F(MassiveIntrTest, CalibratesOnceUnlessTold) {
    MassiveIntr told;
    parse(told, {"--loops-per-ms=1000"});
    EXPECT_TRUE(prepare(told).ok());
    MassiveIntr asked;
    // Without prepare() it is the run that calibrates; whether that settles is up to the machine.
    const auto outcome = run(asked, kSmall);
    if (!outcome) {
        EXPECT_TRUE(outcome.error().not_started);
        EXPECT_THAT(outcome.error().message(), HasSubstr("did not settle"));
        return;
    }
    EXPECT_EQ(outcome->details["loops_per_ms_given"], false);
    EXPECT_GT(outcome->details["loops_per_ms"], 1);
    EXPECT_GE(outcome->details["calibration"]["rounds"], agreeing_rounds);
    EXPECT_LE(outcome->details["calibration"]["spread"], calibration_tolerance);
}

TEST_F(MassiveIntrTest, ACellWithoutHighResolutionTimersIsADoubt) {
    MassiveIntr coarse([]() -> Duration { return 10ms; });
    parse(coarse, {"--loops-per-ms=1000"});
    const auto outcome = run(coarse, kSmall);
    ASSERT_TRUE(outcome.ok()) << outcome.error().message();
    EXPECT_THAT(outcome->taints, Contains(HasSubstr("no high-resolution timers")));
    EXPECT_EQ(outcome->details["timer_resolution_ns"], 10'000'000);
    MassiveIntr fine([]() -> Duration { return 1ns; });
    parse(fine, {"--loops-per-ms=1000"});
    const auto well = run(fine, kSmall);
    ASSERT_TRUE(well.ok()) << well.error().message();
    EXPECT_THAT(well->taints, Not(Contains(HasSubstr("high-resolution"))));
}

TEST_F(MassiveIntrTest, ASignalDuringTheCalibrationIsNoStart) {
    MassiveIntr benchmark;
    ::kill(::getpid(), SIGINT);
    const Status prepared = prepare(benchmark);
    ASSERT_FALSE(prepared.ok());
    EXPECT_TRUE(prepared.error().not_started);
}

TEST(CheckRequirements, RefusesMoreSamplesThanMemoryHolds) {
    FixtureTree tree;
    tree.file("/proc/meminfo", "MemAvailable:   10240 kB\nSwapFree:       0 kB\n");
    const MassiveIntr benchmark;
    EXPECT_TRUE(
        benchmark.check_requirements({.clients = 100, .duration = 30s, .seed = 1}, tree.system())
            .ok());
    const Status refused =
        benchmark.check_requirements({.clients = 300, .duration = 30s, .seed = 1}, tree.system());
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message(), HasSubstr("for the samples of 300 processes"));
    EXPECT_THAT(refused.error().message(), HasSubstr("10 MiB available"));
}

TEST(CheckRequirements, RefusesMoreProcessesThanTheKernelAllows) {
    FixtureTree tree;
    tree.file("/proc/sys/kernel/pid_max", "1000\n")
        .file("/proc/loadavg", "0.20 0.18 0.12 1/80 11206\n");
    const MassiveIntr benchmark;
    const Status refused =
        benchmark.check_requirements({.clients = 1500, .duration = 30s, .seed = 1}, tree.system());
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message(), HasSubstr("pid_max"));
}

TEST(MakeBenchmark, MakesMassiveIntrWithItsClassicLinkAndImport) {
    const auto benchmark = make_benchmark();
    EXPECT_EQ(benchmark->name(), "massive-intr");
    EXPECT_EQ(benchmark->classic_name(), "massive_intr");
    EXPECT_TRUE(benchmark->can_import());
    EXPECT_TRUE(benchmark->import_classic("1\t2\n").ok());
    // Each column shows a metric there is, or a part of the cell's name.
    for (const TableColumn& column : benchmark->table()) {
        const auto metrics = benchmark->metrics();
        EXPECT_TRUE(column.metric.empty() ||
                    std::any_of(metrics.begin(), metrics.end(),
                                [&](const Metric& metric) { return metric.name == column.metric; }))
            << column.heading;
    }
}

}  // namespace
}  // namespace bench::massive_intr
