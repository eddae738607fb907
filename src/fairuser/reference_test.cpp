#include "fairuser/reference.h"

#include <gmock/gmock.h>

#include "common/statistics.h"

namespace bench::fairuser {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Cell {
    std::int64_t order = 1;
    std::string group = "none";
    std::optional<double> makespan = {};
    std::vector<std::optional<double>> work_rates = {};
    std::optional<double> within = {};
    std::optional<double> efficiency = {};
    RowStatus status = RowStatus::ok;
    std::string kernel = "6.18";
};

/// The rows of cells, in the order given.
std::vector<SummaryRow> rows_of(const std::vector<Cell>& cells) {
    std::vector<SummaryRow> rows;
    for (const Cell& cell : cells) {
        const auto add = [&](const char* metric, std::optional<double> value, std::string subject) {
            SummaryRow row;
            row.key.order = cell.order;
            row.key.kernel = cell.kernel;
            row.key.seed = 1;
            row.key.variant = format_variant({{"group", cell.group}, {"workload", "spin"}});
            row.subject = std::move(subject);
            row.metric.name = metric;
            row.status = cell.status;
            const std::vector<double> values =
                value ? std::vector<double>{*value} : std::vector<double>{};
            row.figures = summarise(values);
            rows.push_back(std::move(row));
        };
        for (std::size_t i = 0; i < cell.work_rates.size(); ++i) {
            add("work_rate", cell.work_rates[i], "user" + std::to_string(i));
        }
        add("makespan", cell.makespan, "");
        add("jain", 0.8, "");
        add("within", cell.within, "");
        add("efficiency", cell.efficiency, "");
    }
    return rows;
}

double value(const LateFigures& figures, std::string_view name) {
    for (const Series& series : figures.series) {
        if (series.metric.name == name && series.values.size() == 1) {
            return series.values.front();
        }
    }
    ADD_FAILURE() << "no " << name;
    return 0;
}

TEST(Reference, FixedWorkComparesTheMakespans) {
    const auto late = efficiency_beside_ungrouped(
        rows_of({{.order = 1, .group = "cgroup", .makespan = 25, .within = 0.5},
                 {.order = 2, .group = "none", .makespan = 20}}));
    ASSERT_THAT(late, SizeIs(2)) << "whichever ran first";
    EXPECT_EQ(late[0].order, 1);
    EXPECT_DOUBLE_EQ(value(late[0], "efficiency"), 0.8);
    EXPECT_DOUBLE_EQ(value(late[0], "fairness"), 0.8 * 0.5 * 0.8);
    EXPECT_EQ(late[0].addition.details.at("reference_order"), 2);
    EXPECT_DOUBLE_EQ(value(late[1], "efficiency"), 1);
    EXPECT_DOUBLE_EQ(value(late[1], "fairness"), 0.8) << "unknown inside: nothing taken away";
}

TEST(Reference, FixedTimeComparesTheWorkOfAllUsers) {
    const auto late = efficiency_beside_ungrouped(
        rows_of({{.order = 1, .work_rates = {10, 30}},
                 {.order = 2, .group = "cgroup", .work_rates = {25, 25}}}));
    ASSERT_THAT(late, SizeIs(2));
    EXPECT_DOUBLE_EQ(value(late[1], "efficiency"), 1.25);
    EXPECT_DOUBLE_EQ(value(late[1], "fairness"), 0.8) << "a gain makes nothing fairer";
    EXPECT_THAT(late[1].addition.taints, SizeIs(1)) << "loops don't gain: the reference was poor";
}

TEST(Reference, OneUsersUnknownWorkLeavesAllOpen) {
    EXPECT_THAT(efficiency_beside_ungrouped(
                    rows_of({{.order = 1, .work_rates = {10, std::nullopt}},
                             {.order = 2, .group = "cgroup", .work_rates = {25, 25}}})),
                SizeIs(0));
}

TEST(Reference, OnlyWhatIsOtherwiseTheSameIsAReference) {
    EXPECT_THAT(
        efficiency_beside_ungrouped(rows_of({{.order = 1, .makespan = 20, .kernel = "6.1"},
                                             {.order = 2, .group = "cgroup", .makespan = 25}})),
        SizeIs(1))
        << "the other kernel's ungrouped cell is its own alone";
}

TEST(Reference, ACellThatFailedIsNone) {
    EXPECT_THAT(efficiency_beside_ungrouped(
                    rows_of({{.order = 1, .makespan = 20, .status = RowStatus::failed},
                             {.order = 2, .group = "cgroup", .makespan = 25}})),
                IsEmpty());
}

TEST(Reference, WhatSoloRunsToldStays) {
    EXPECT_THAT(efficiency_beside_ungrouped(
                    rows_of({{.order = 1, .makespan = 20, .efficiency = 0.9},
                             {.order = 2, .group = "cgroup", .makespan = 25, .efficiency = 0.7}})),
                IsEmpty());
}

TEST(Reference, ATaintedReferenceTaints) {
    const auto late = efficiency_beside_ungrouped(
        rows_of({{.order = 1, .makespan = 20, .status = RowStatus::tainted},
                 {.order = 2, .group = "cgroup", .makespan = 25}}));
    ASSERT_THAT(late, SizeIs(2));
    EXPECT_THAT(late[0].addition.taints, IsEmpty());
    EXPECT_THAT(late[1].addition.taints, SizeIs(1));
}

}  // namespace
}  // namespace bench::fairuser
