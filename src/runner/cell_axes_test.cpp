#include "runner/cell_axes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A test with an axis of its own.
class GroupedBenchmark : public Benchmark {
  public:
    std::string_view name() const override { return "grouped"; }
    std::string_view summary() const override { return "has a group"; }
    void add_options(CLI::App& /*app*/) override {}
    std::vector<Metric> metrics() const override { return {}; }
    std::vector<TableColumn> table() const override { return {}; }
    Status check_requirements(const CellPlan& /*plan*/,
                              const SystemRoot& /*system*/) const override {
        return {};
    }
    Result<CellOutcome> run(const CellContext& /*context*/) override { return CellOutcome(); }
    std::vector<BenchmarkAxis> axes() override {
        return {{"--group", "none|own", "how", AxisList::comma, [this](const std::string& text) {
                     if (text != "none" && text != "own") {
                         throw CLI::ValidationError("--group",
                                                    "'" + text + "' is not one of none, own");
                     }
                     group = text;
                     return text;
                 }}};
    }
    std::vector<std::pair<std::string, std::string>> variant() const override {
        return {{"group", group}};
    }
    Status check_options() const override {
        return group == "own" && refuse_own ? plain_error("", "--group", "own is refused")
                                            : Status();
    }

    std::string group = "none";
    bool refuse_own = false;
};

class CellAxes : public ::testing::Test {
  protected:
    CellAxes() : axes_(cell_axes(benchmark_)) { add_axis_options(app_, axes_, chosen_); }

    std::string parse(std::vector<std::string> words) {
        std::reverse(words.begin(), words.end());
        try {
            app_.parse(words);
        } catch (const CLI::ParseError& error) {
            return error.what();
        }
        return {};
    }

    [[nodiscard]] std::string chosen() const {
        std::string text;
        for (const Axis& axis : chosen_) {
            text += axis.option + "=";
            for (const auto& value : axis.values) {
                text += value + " ";
            }
        }
        return text;
    }

    GroupedBenchmark benchmark_;
    CLI::App app_;
    std::vector<Axis> chosen_;
    std::vector<CellAxis> axes_;
};

TEST_F(CellAxes, TakesListsRepetitionsAndBothInTheOrderOfTheTable) {
    ASSERT_EQ(parse({"--nice", "5,0", "--policy", "other", "--policy", "batch,idle", "--load",
                     "a,b", "--load", "c", "--pin"}),
              "");
    EXPECT_EQ(chosen(), "--load=a,b c --pin=on --policy=other batch idle --nice=5 0 ");
}

TEST_F(CellAxes, ATestsOwnAxisVariesSlowest) {
    ASSERT_EQ(parse({"--policy", "batch", "--group", "none,own"}), "");
    EXPECT_EQ(chosen(), "--group=none own --policy=batch ");
}

TEST_F(CellAxes, RefusesTheSameValueInAnotherSpelling) {
    EXPECT_THAT(parse({"--slice", "1ms,1000us"}), HasSubstr("'1000us' is the same as '1ms'"));
    EXPECT_THAT(parse({"--cpus", "0,1", "--cpus", "0-1"}), HasSubstr("'0-1' is the same as '0,1'"));
    EXPECT_THAT(parse({"--policy", "other,other"}), HasSubstr("'other' is given twice"));
}

TEST_F(CellAxes, RefusesAnEmptyPartOfAList) {
    EXPECT_THAT(parse({"--policy", "other,"}), HasSubstr("''"));
    EXPECT_THAT(parse({"--nice", "1,,2"}), HasSubstr("''"));
}

TEST_F(CellAxes, SettingsReachCellAndTest) {
    const CellOptions cell = with_settings(axes_, {},
                                           {{"--policy", "fifo:7"},
                                            {"--group", "own"},
                                            {"--pin", "on"},
                                            {"--sysctl", "kernel.a=1"},
                                            {"--autogroup", "off"}});
    EXPECT_EQ(cell_variant(cell, benchmark_),
              "autogroup=off;group=own;pin=on;policy=fifo:7;sysctl.kernel.a=1");
}

TEST_F(CellAxes, EveryCombinationIsChecked) {
    const std::vector<Axis> impossible = {{"--policy", {"other", "fifo:1"}},
                                          {"--nice", {"0", "5"}}};
    const Status sound = check_combinations(axes_, {}, impossible, benchmark_);
    ASSERT_FALSE(sound.ok());
    EXPECT_EQ(sound.error().object, "--nice");
    EXPECT_TRUE(check_combinations(axes_, {},
                                   {{"--policy", {"other", "batch"}}, {"--nice", {"0", "5"}}},
                                   benchmark_)
                    .ok());
    const std::vector<Axis> groups = {{"--group", {"none", "own"}}};
    EXPECT_TRUE(check_combinations(axes_, {}, groups, benchmark_).ok());
    benchmark_.refuse_own = true;
    EXPECT_FALSE(check_combinations(axes_, {}, groups, benchmark_).ok());
}

TEST_F(CellAxes, OneKnobUnderTwoOptionsIsRefused) {
    CellOptions cell;
    cell.switches.autogroup = true;
    cell.switches.sysctls = {{"kernel.sched_autogroup_enabled", "0"}};
    const Status sound = check_cell(cell, benchmark_);
    ASSERT_FALSE(sound.ok());
    EXPECT_EQ(sound.error().object, "--sysctl");
}

}  // namespace
}  // namespace bench
