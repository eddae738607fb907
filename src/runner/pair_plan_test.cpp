#include "runner/pair_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace bench {
namespace {

class PairPlanTest : public ::testing::Test {
  protected:
    PairPlanTest() {
        plan_.test = "latt";
        plan_.clients = {1, 8, 25};
        plan_.seed = 7;
        pairs_ = {.sides = {{{"--policy=other"}, {"--policy=idle"}}}, .looks = {10, 15}};
    }

    Plan plan_;
    PairPlan pairs_;
};

TEST_F(PairPlanTest, BothSidesOfAPairRunBackToBack) {
    const auto cells = order_pairs(plan_, pairs_);
    ASSERT_EQ(cells.size(), 15U * 3 * 2);
    for (std::size_t i = 0; i < cells.size(); i += 2) {
        EXPECT_EQ(cells[i].number, static_cast<std::int64_t>(i) + 1);
        EXPECT_EQ(cells[i].pair, static_cast<std::int64_t>(i / 6) + 1);
        EXPECT_EQ(cells[i].pair, cells[i + 1].pair);
        EXPECT_EQ(cells[i].clients, cells[i + 1].clients);
        EXPECT_EQ(cells[i].seed, cells[i + 1].seed);
        EXPECT_NE(cells[i].side, cells[i + 1].side);
        EXPECT_EQ(cells[i].arguments, pairs_.sides[cells[i].side]);
    }
}

TEST_F(PairPlanTest, EachSideGoesFirstHalfTheTimeBetweenLooks) {
    std::map<std::int64_t, std::array<int, 2>> a_first;  // by clients, before and after 10 pairs
    for (const PlannedCell& cell : order_pairs(plan_, pairs_)) {
        if (cell.number % 2 == 1 && cell.side == 0) {
            ++a_first[*cell.clients][*cell.pair > 10 ? 1 : 0];
        }
    }
    ASSERT_EQ(a_first.size(), 3U);
    for (const auto& [clients, count] : a_first) {
        EXPECT_EQ(count[0], 5) << clients;
        EXPECT_TRUE(count[1] == 2 || count[1] == 3) << clients;
    }
}

TEST_F(PairPlanTest, TheSeedDrawsTheOrder) {
    const auto firsts = [&](std::uint64_t seed) {
        plan_.seed = seed;
        std::vector<std::size_t> sides;
        for (const PlannedCell& cell : order_pairs(plan_, pairs_)) {
            sides.push_back(cell.side);
        }
        return sides;
    };
    EXPECT_EQ(firsts(7), firsts(7));
    std::set<std::vector<std::size_t>> distinct;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        distinct.insert(firsts(seed));
    }
    EXPECT_GT(distinct.size(), 5U);
}

TEST_F(PairPlanTest, ATestWithoutClientsHasItsPairsToo) {
    plan_.clients.clear();
    const auto cells = order_pairs(plan_, pairs_);
    ASSERT_EQ(cells.size(), 30U);
    EXPECT_FALSE(cells[0].clients);
    const auto words = cell_arguments(plan_, cells[0]);
    EXPECT_EQ(words.back(), pairs_.sides[cells[0].side].front());
}

}  // namespace
}  // namespace bench
