#include "latt/latt.h"

#include <gmock/gmock.h>
#include <unistd.h>
#include <zlib.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>

#include "common/testing/scoped_stop_source.h"

namespace bench::latt {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The benchmark with options as a user gives them, and what a runner puts around it.
class LattTest : public ::testing::Test {
  protected:
    static void parse(Latt& latt, std::vector<std::string> arguments) {
        CLI::App app;
        latt.add_options(app);
        std::reverse(arguments.begin(), arguments.end());
        app.parse(arguments);
    }

    Result<CellOutcome> run(Latt& latt, CellPlan plan) {
        const SystemRoot system;
        return latt.run({.plan = plan, .system = system, .stop = *stop_, .settings = {}});
    }

    StopSource& stop() { return *stop_; }

  private:
    bench::testing::ScopedStopSource stop_;
};

const Series& find(const CellOutcome& outcome, std::string_view name) {
    for (const Series& series : outcome.series) {
        if (series.metric.name == name) {
            return series;
        }
    }
    ADD_FAILURE() << "no series " << name;
    static const Series none;
    return none;
}

TEST_F(LattTest, MeasuresACell) {
    Latt latt;
    parse(latt, {"--min-wait=0", "--max-wait=1ms", "--work=1KiB"});
    const auto outcome = run(latt, {.clients = 2, .duration = 500ms, .seed = 9});
    ASSERT_TRUE(outcome.ok()) << outcome.error().message();
    const std::size_t rounds = static_cast<std::size_t>(find(*outcome, "rounds").values.at(0));
    ASSERT_GT(rounds, 0U);
    const Series& wakeup = find(*outcome, "wakeup");
    EXPECT_THAT(wakeup.values, SizeIs(2 * rounds));
    EXPECT_THAT(wakeup.clients, SizeIs(2 * rounds));
    EXPECT_THAT(wakeup.at_ns, SizeIs(2 * rounds));
    EXPECT_THAT(find(*outcome, "work").values, SizeIs(2 * rounds));
    EXPECT_THAT(find(*outcome, "wake_late").values, SizeIs(rounds));
    EXPECT_THAT(find(*outcome, "ctx_voluntary").values, SizeIs(2));
    EXPECT_THAT(outcome->taints, IsEmpty());
    EXPECT_THAT(outcome->workers, SizeIs(2));
    // Each value came within the cell, from its start on.
    EXPECT_GE(*std::min_element(wakeup.at_ns.begin(), wakeup.at_ns.end()), 0);
    EXPECT_TRUE(std::is_sorted(wakeup.at_ns.begin(), wakeup.at_ns.end()));
}

TEST_F(LattTest, RecordsWhatTellsCellsApart) {
    Latt latt;
    parse(latt, {"--min-wait=0", "--max-wait=1ms", "--work=1KiB", "--wake=futex", "--threads"});
    const auto outcome = run(latt, {.clients = 2, .duration = 500ms, .seed = 9});
    ASSERT_TRUE(outcome.ok()) << outcome.error().message();
    const Json& details = outcome->details;
    EXPECT_EQ(details["zlib_version"], zlibVersion());
    EXPECT_EQ(details["zlib_level"], 7);
    EXPECT_EQ(details["work_bytes"], 1024);
    EXPECT_EQ(details["wake"], "futex");
    EXPECT_EQ(details["clients_are"], "threads");
    EXPECT_EQ(details["rounds"], find(*outcome, "rounds").values.at(0));
    ASSERT_THAT(details["client_windows"], SizeIs(2));
    EXPECT_GT(details["client_windows"][1]["pid"], 0);
    EXPECT_GE(details["client_windows"][1]["last_ns"], details["client_windows"][1]["first_ns"]);
}

TEST_F(LattTest, EveryWorkerTellsItsTimerSlack) {
    Latt latt;
    parse(latt, {"--min-wait=0", "--max-wait=1ms", "--work=0"});
    const auto outcome = run(latt, {.clients = 2, .duration = 50ms, .seed = 9});
    ASSERT_TRUE(outcome.ok()) << outcome.error().message();
    ASSERT_THAT(outcome->workers, SizeIs(2));
    for (const WorkerReadback& worker : outcome->workers) {
        EXPECT_EQ(worker.timer_slack_ns, 1U);
    }
    EXPECT_GT(outcome->details["waker_timer_slack_ns"], 0);
}

TEST_F(LattTest, ACellShorterThanItsFirstWaitIsEmptyAndSaysSo) {
    Latt latt;
    parse(latt, {"--min-wait=1h", "--max-wait=1h"});
    const auto outcome = run(latt, {.clients = 2, .duration = 10ms, .seed = 1});
    ASSERT_TRUE(outcome.ok()) << outcome.error().message();
    EXPECT_THAT(find(*outcome, "wakeup").values, IsEmpty());
    EXPECT_THAT(find(*outcome, "work").values, IsEmpty());
    EXPECT_THAT(find(*outcome, "wakeup_negative").values, IsEmpty());
    EXPECT_THAT(outcome->taints, Contains(HasSubstr("no round")));
    EXPECT_TRUE(outcome->details["client_windows"][0]["first_ns"].is_null());
}

// The first round is well; the second interrupts the run and never ends.
WorkResult interrupt_second_round(ClassicRandom& /*random*/, std::size_t /*bytes*/) {
    static bool worked = false;
    if (worked) {
        ::kill(::getppid(), SIGINT);
        for (;;) {
            ::pause();
        }
    }
    worked = true;
    return {};
}

TEST_F(LattTest, KeepsWhatASignalLeaves) {
    Latt latt(interrupt_second_round);
    parse(latt, {"--min-wait=0", "--max-wait=0"});
    const auto outcome = run(latt, {.clients = 1, .duration = 1h, .seed = 1});
    ASSERT_TRUE(outcome.ok()) << outcome.error().message();
    EXPECT_EQ(stop().signal_number(), SIGINT);
    EXPECT_THAT(outcome->taints, Contains(HasSubstr("stopped by SIGINT")));
    EXPECT_THAT(find(*outcome, "wakeup").values, SizeIs(1));
    EXPECT_THAT(find(*outcome, "ctx_voluntary").values, IsEmpty());
}

WorkResult no_memory(ClassicRandom& /*random*/, std::size_t /*bytes*/) {
    return {Z_MEM_ERROR, 0};
}

TEST_F(LattTest, AFailedClientFailsTheCell) {
    Latt latt(no_memory);
    parse(latt, {"--min-wait=0", "--max-wait=0"});
    const auto outcome = run(latt, {.clients = 2, .duration = 1h, .seed = 1});
    ASSERT_FALSE(outcome.ok());
    EXPECT_THAT(outcome.error().message(), HasSubstr("Z_MEM_ERROR"));
}

TEST_F(LattTest, RefusesOptionsThatCanNotHoldTogether) {
    Latt latt;
    parse(latt, {"--min-wait=1s"});
    EXPECT_FALSE(latt.check_options().ok());
    parse(latt, {"--max-wait=1s"});
    EXPECT_TRUE(latt.check_options().ok());
    EXPECT_THAT(latt.variant(), SizeIs(2));
}

TEST(MakeBenchmark, MakesLattWithItsClassicLink) {
    const auto benchmark = make_benchmark();
    EXPECT_EQ(benchmark->name(), "latt");
    EXPECT_EQ(benchmark->classic_name(), "latt");
    EXPECT_FALSE(benchmark->metrics().empty());
    EXPECT_FALSE(benchmark->table().empty());
}

}  // namespace
}  // namespace bench::latt
