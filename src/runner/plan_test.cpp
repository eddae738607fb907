#include "runner/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

using testing::Contains;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

namespace bench {
namespace {

Plan small_plan() {
    Plan plan;
    plan.test = "latt";
    plan.clients = {1, 2, 4};
    plan.axes = {{"--load", {"none", "spin"}}};
    plan.repetitions = 3;
    plan.seed = 42;
    plan.common_arguments = {"--duration=2s"};
    return plan;
}

std::string name(const PlannedCell& cell) {
    return std::to_string(cell.clients.value()) + cell.settings.at(0).second;
}

TEST(Plan, EveryRepetitionHoldsEveryCombinationOnce) {
    const auto cells = order_cells(small_plan());
    ASSERT_EQ(cells.size(), 18U);
    for (std::int64_t repetition = 1; repetition <= 3; ++repetition) {
        std::vector<std::string> seen;
        for (std::size_t i = 0; i < 6; ++i) {
            const auto& cell = cells[static_cast<std::size_t>(repetition - 1) * 6 + i];
            EXPECT_EQ(cell.repetition, repetition);
            seen.push_back(name(cell));
        }
        EXPECT_THAT(seen,
                    UnorderedElementsAre("1none", "2none", "4none", "1spin", "2spin", "4spin"));
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
        EXPECT_EQ(cells[i].number, static_cast<std::int64_t>(i) + 1);
    }
}

TEST(Plan, PlacesMultiplyTheCellsAndStayOutOfTheirArguments) {
    Plan plan = small_plan();
    plan.order = CellOrder::sequential;
    plan.places = {{"--kernel", {"a", "b"}}, {"--append", {"x"}}};
    const auto cells = order_cells(plan);
    ASSERT_EQ(cells.size(), 36U);
    EXPECT_EQ(cells[0].place, (decltype(cells[0].place){{"--kernel", "a"}, {"--append", "x"}}));
    EXPECT_EQ(cells[6].place.at(0).second, "b");
    EXPECT_EQ(cells[0].seed, cells[6].seed);
    EXPECT_EQ(
        cell_arguments(plan, cells[0]),
        (std::vector<std::string>{"exec", "latt", "--seed=" + std::to_string(cells[0].seed),
                                  "--cell=1", "--clients=1", "--load=none", "--duration=2s"}));
}

TEST(Plan, TheOrderIsDrawnFromTheSeedAnewForEachRepetition) {
    Plan plan = small_plan();
    plan.clients = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const auto order = [](const Plan& of) {
        std::vector<std::string> names;
        for (const auto& cell : order_cells(of)) {
            names.push_back(name(cell));
        }
        return names;
    };
    const auto first = order(plan);
    EXPECT_EQ(order(plan), first);
    const std::size_t per = 24;
    EXPECT_FALSE(std::equal(first.begin(), first.begin() + per, first.begin() + per));
    plan.seed = 43;
    EXPECT_NE(order(plan), first);
    plan.order = CellOrder::sequential;
    const auto sequential = order(plan);
    EXPECT_EQ(sequential[0], "1none");
    EXPECT_EQ(sequential[11], "12none");
    EXPECT_EQ(sequential[12], "1spin");
}

TEST(Plan, CellsOfARepetitionShareTheirSeedAndRepetitionsDoNot) {
    std::set<std::uint64_t> seeds;
    for (const auto& cell : order_cells(small_plan())) {
        seeds.insert(cell.seed);
        EXPECT_LT(cell.seed, std::uint64_t{1} << 63U);
    }
    EXPECT_EQ(seeds.size(), 3U);
}

TEST(Plan, ACellIsAnExecCommand) {
    const Plan plan = small_plan();
    PlannedCell cell;
    cell.number = 7;
    cell.clients = 4;
    cell.seed = 5;
    cell.settings = {{"--load", "sh -c 'a b'"}};
    EXPECT_THAT(cell_arguments(plan, cell),
                ElementsAre("exec", "latt", "--seed=5", "--cell=7", "--clients=4",
                            "--load=sh -c 'a b'", "--duration=2s"));
}

TEST(Plan, ATestWithoutClientsHasOneCellForEachCombination) {
    Plan plan = small_plan();
    plan.clients.clear();
    plan.repetitions = 1;
    const auto cells = order_cells(plan);
    ASSERT_EQ(cells.size(), 2U);
    EXPECT_FALSE(cells[0].clients.has_value());
    EXPECT_THAT(cell_arguments(plan, cells[0]),
                ::testing::Not(Contains(::testing::StartsWith("--clients"))));
}

TEST(Plan, WarmUpsAreLaunchesOfTheFirstCell) {
    Plan plan = small_plan();
    EXPECT_TRUE(warmup_cells(order_cells(plan), plan.warmups).empty());
    plan.warmups = 2;
    const auto warmups = warmup_cells(order_cells(plan), plan.warmups);
    ASSERT_EQ(warmups.size(), 2U);
    EXPECT_EQ(warmups[0].number, 0);
    EXPECT_EQ(name(warmups[0]), name(order_cells(plan)[0]));
    EXPECT_THAT(cell_arguments(plan, warmups[0]), Contains("--cell=1"));
}

}  // namespace
}  // namespace bench
