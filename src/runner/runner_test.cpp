#include "runner/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/testing/temp_folder.h"
#include "runner/fake_executor.h"

using testing::HasSubstr;

namespace bench {
namespace {

const Metric kWakeup{"wakeup", "ns", Better::lower, "how late"};

class RunnerTest : public ::testing::Test {
  protected:
    RunnerTest() {
        plan_.test = "latt";
        plan_.clients = {1, 2, 3, 4};
        plan_.order = CellOrder::sequential;
        fallback_.key.test = "latt";
        fallback_.key.kernel = "6.18";
        fallback_.key.scheduler = "EEVDF";
        fallback_.metrics = {kWakeup};
        std::filesystem::create_directory(folder_ / "scratch");
    }

    static void measured(CellRecord& record) {
        record.key.kernel = "6.18";
        record.key.scheduler = "EEVDF";
        record.metrics = {kWakeup};
        Series series;
        series.metric = kWakeup;
        series.values = {1000, 2000, static_cast<double>(*record.key.clients) * 1000};
        record.series = {series};
    }

    RunCounts run(FakeExecutor::Script script) {
        executor_.emplace(std::move(script));
        auto writer = BundleWriter::create(folder_ / "bundle", Json::object());
        EXPECT_TRUE(writer.ok());
        auto counts = run_plan(plan_, *executor_, *writer, *observer_, fallback_,
                               folder_ / "scratch", std::chrono::seconds(60));
        EXPECT_TRUE(counts.ok());
        EXPECT_TRUE(writer->finish(counts->interrupted ? "incomplete" : "complete").ok());
        bundle_ = *read_bundle(folder_ / "bundle");
        return *counts;
    }

    RunObserver silent_;
    RunObserver* observer_ = &silent_;
    testing::TempFolder folder_;
    Plan plan_;
    CellFallback fallback_;
    std::optional<FakeExecutor> executor_;
    Bundle bundle_;
};

TEST_F(RunnerTest, EveryCellBecomesARowWithItsPlace) {
    plan_.repetitions = 2;
    const auto counts = run([](const CellRequest&, CellRecord& record) {
        measured(record);
        return CellExecution{};
    });
    EXPECT_EQ(counts.ok, 8);
    ASSERT_EQ(bundle_.rows.size(), 8U);
    EXPECT_EQ(bundle_.rows[0].key.clients, 1);
    EXPECT_EQ(bundle_.rows[3].key.clients, 4);
    EXPECT_EQ(bundle_.rows[4].key.repetition, 2);
    EXPECT_EQ(bundle_.rows[7].key.order, 8);
    EXPECT_EQ(bundle_.rows[3].figures->max, 4000);
    EXPECT_EQ(bundle_.run["cells"].size(), 8U);
    EXPECT_TRUE(std::filesystem::is_empty(folder_ / "scratch"));
}

TEST_F(RunnerTest, ACellThatDiesWithoutAResultIsAFailedRowAndTheRunGoesOn) {
    const auto counts = run([](const CellRequest&, CellRecord& record) {
        measured(record);
        if (record.key.clients == 2) {
            return CellExecution{CellConduct::finished, 128 + 11, "starting\nstack smashed"};
        }
        return CellExecution{};
    });
    EXPECT_EQ(counts.ok, 3);
    EXPECT_EQ(counts.failed, 1);
    ASSERT_EQ(bundle_.rows.size(), 4U);
    const auto& row = bundle_.rows[1];
    EXPECT_EQ(row.status, RowStatus::failed);
    EXPECT_EQ(row.key.clients, 2);
    EXPECT_EQ(row.key.kernel, "6.18");
    EXPECT_FALSE(row.figures.has_value());
    const std::string reason = bundle_.run["cells"][1]["reason"];
    EXPECT_THAT(reason, HasSubstr("SIGSEGV"));
    EXPECT_THAT(reason, HasSubstr("stack smashed"));
}

TEST_F(RunnerTest, NotRunAndTaintedCellsAreCountedAsSuch) {
    const auto counts = run([](const CellRequest&, CellRecord& record) {
        measured(record);
        if (record.key.clients == 1) {
            record.status = RowStatus::not_run;
            record.reason = "RLIMIT_NOFILE";
            record.series.clear();
        } else if (record.key.clients == 2) {
            record.status = RowStatus::tainted;
            record.taints = {"load ended early"};
        }
        return CellExecution{};
    });
    EXPECT_EQ(counts.not_run, 1);
    EXPECT_EQ(counts.tainted, 1);
    EXPECT_EQ(counts.ok, 2);
    EXPECT_EQ(bundle_.rows[0].status, RowStatus::not_run);
    EXPECT_EQ(bundle_.rows[1].status, RowStatus::tainted);
    EXPECT_TRUE(bundle_.rows[1].figures.has_value());
}

TEST_F(RunnerTest, WhatACellShowsBesideOthersOfItsRepetitionIsFilledIn) {
    static const Metric kLate{"late", "1", Better::none, "the first of the block's maximum"};
    plan_.clients = {1, 2};
    plan_.repetitions = 2;
    fallback_.metrics = {kWakeup, kLate};
    std::vector<std::size_t> seen;
    fallback_.beside = [&seen](const std::vector<SummaryRow>& block) {
        seen.push_back(block.size());
        std::vector<LateFigures> late;
        const SummaryRow& first = block[0];
        // Once the second is there, the first can be told; and it is doubtful.
        if (block.size() == 4 && block[1].figures == std::nullopt) {
            LateFigures figures;
            figures.order = *first.key.order;
            figures.series = {{.metric = kLate,
                               .subject = {},
                               .values = {*first.figures->max},
                               .clients = {},
                               .at_ns = {}}};
            figures.addition.taints = {"doubtful"};
            late.push_back(figures);
        }
        return late;
    };
    const auto counts = run([](const CellRequest&, CellRecord& record) {
        measured(record);
        record.metrics = {kWakeup, kLate};
        return CellExecution{};
    });
    EXPECT_THAT(seen, ::testing::ElementsAre(2, 4, 2, 4)) << "no block sees another";
    EXPECT_EQ(counts.ok, 2);
    EXPECT_EQ(counts.tainted, 2);
    for (const SummaryRow& row : bundle_.rows) {
        const bool first = *row.key.clients == 1;
        EXPECT_EQ(row.status, first ? RowStatus::tainted : RowStatus::ok);
        if (row.metric.name == "late") {
            EXPECT_EQ(row.figures.has_value(), first);
        }
    }
}

TEST_F(RunnerTest, WarmUpsLeaveNoRow) {
    plan_.warmups = 2;
    const auto counts = run([](const CellRequest&, CellRecord& record) {
        measured(record);
        return CellExecution{};
    });
    EXPECT_EQ(executor_->requests().size(), 6U);
    EXPECT_EQ(counts.ok, 4);
    EXPECT_EQ(bundle_.rows.size(), 4U);
}

class StopAfter : public RunObserver {
  public:
    explicit StopAfter(int cells) : left_(cells) {}
    bool tick() override { return left_ > 0; }
    void cell_finished(const PlannedCell& /*cell*/, const Json& /*record*/,
                       const std::vector<SummaryRow>& /*rows*/) override {
        --left_;
    }

  private:
    int left_;
};

TEST_F(RunnerTest, AnInterruptKeepsTheFinishedCellsOnly) {
    StopAfter stop(2);
    observer_ = &stop;
    const auto counts = run([](const CellRequest&, CellRecord& record) {
        measured(record);
        return CellExecution{};
    });
    EXPECT_TRUE(counts.interrupted);
    EXPECT_EQ(counts.finished(), 2);
    EXPECT_EQ(bundle_.rows.size(), 2U);
    EXPECT_EQ(bundle_.run["status"], "incomplete");
}

TEST_F(RunnerTest, APlaceThatDoesNotComeUpIsANotRunRowAndOneThatBreaksDownAFailedOne) {
    plan_.places = {{"--kernel", {"a.deb"}}};
    fallback_.place = [](const PlannedCell& cell, CellKey& key) {
        key.kernel = cell.place.at(0).second;
        key.scheduler = "";
    };
    const auto counts = run([](const CellRequest& request, CellRecord& record) {
        measured(record);
        EXPECT_EQ(request.place.at(0).first, "--kernel");
        CellExecution execution;
        if (record.key.clients != 4) {
            execution.conduct =
                record.key.clients == 1 ? CellConduct::never_ran : CellConduct::broke;
            execution.reason = "the guest's kernel panicked";
            execution.details["guest"] = {{"console", "last words"}};
        }
        return execution;
    });
    EXPECT_EQ(counts.not_run, 1);
    EXPECT_EQ(counts.failed, 2);
    EXPECT_EQ(counts.ok, 1);
    EXPECT_EQ(bundle_.rows[0].status, RowStatus::not_run);
    EXPECT_EQ(bundle_.rows[0].key.kernel, "a.deb");
    EXPECT_EQ(bundle_.rows[0].key.scheduler, "");
    EXPECT_EQ(bundle_.run["cells"][0]["reason"], "the guest's kernel panicked");
    EXPECT_EQ(bundle_.run["cells"][0]["guest"]["console"], "last words");
    EXPECT_EQ(bundle_.rows[3].key.kernel, "6.18");
}

TEST_F(RunnerTest, WhatTheExecutorKnowsBesideTheCellIsKept) {
    plan_.clients = {1, 2};
    std::int64_t boots = 0;
    const auto counts = run([&boots](const CellRequest&, CellRecord& record) {
        measured(record);
        record.environment = {{"boot_id", "always the same"}};
        CellExecution execution;
        execution.boot = ++boots;
        execution.details["guest"] = {{"image_sha256", "abc"}};
        if (record.key.clients == 2) {
            execution.taints = {"the guest's kernel said: BUG"};
        }
        return execution;
    });
    EXPECT_EQ(counts.ok, 1);
    EXPECT_EQ(counts.tainted, 1);
    EXPECT_EQ(bundle_.rows[0].key.boot, 1);
    EXPECT_EQ(bundle_.rows[1].key.boot, 2);
    EXPECT_EQ(bundle_.rows[0].status, RowStatus::ok);
    EXPECT_EQ(bundle_.rows[1].status, RowStatus::tainted);
    const Json& cell = bundle_.run["cells"][1];
    EXPECT_EQ(cell["status"], "tainted");
    EXPECT_EQ(cell["taints"], Json::array({"the guest's kernel said: BUG"}));
    EXPECT_EQ(cell["guest"]["image_sha256"], "abc");
}

TEST_F(RunnerTest, ACellThatDoesNotEndIsAFailedRow) {
    const auto counts = run([](const CellRequest&, CellRecord& record) {
        measured(record);
        return CellExecution{
            record.key.clients == 4 ? CellConduct::timed_out : CellConduct::finished, 0, ""};
    });
    EXPECT_EQ(counts.failed, 1);
    const std::string reason = bundle_.run["cells"][3]["reason"];
    EXPECT_THAT(reason, HasSubstr("did not end in time"));
}

TEST_F(RunnerTest, ARunOfPairsEndsWhenAskedAndKeepsTheirNumbers) {
    plan_.clients = {4};
    std::vector<PlannedCell> cells = order_cells(plan_);
    cells.resize(3, cells.front());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        cells[i].number = static_cast<std::int64_t>(i) + 1;
        cells[i].pair = cells[i].number + 6;
        cells[i].arguments = {"--policy=idle"};
    }
    executor_.emplace([](const CellRequest&, CellRecord& record) {
        measured(record);
        return CellExecution{};
    });
    auto writer = BundleWriter::create(folder_ / "bundle", Json::object());
    ASSERT_TRUE(writer.ok());
    const auto counts = run_cells(
        plan_, cells, [](std::int64_t finished) { return finished < 2; }, *executor_, *writer,
        *observer_, fallback_, folder_ / "scratch", std::chrono::seconds(60));
    ASSERT_TRUE(counts.ok());
    EXPECT_EQ(counts->planned, 2);
    EXPECT_EQ(counts->ok, 2);
    EXPECT_FALSE(counts->interrupted);
    EXPECT_EQ(executor_->requests().back().arguments.back(), "--policy=idle");
    ASSERT_TRUE(writer->finish("complete").ok());
    const auto bundle = read_bundle(folder_ / "bundle");
    ASSERT_EQ(bundle->rows.size(), 2U);
    EXPECT_EQ(bundle->rows[0].key.pair, 7);
    EXPECT_EQ(bundle->rows[1].key.pair, 8);
}

/// Ends the cells in the order given, and stops after the last of them.
class OutOfOrder : public FakeExecutor {
  public:
    OutOfOrder(Script script, std::vector<std::size_t> order)
        : FakeExecutor(std::move(script)), order_(std::move(order)) {}

    bool run_all(CellQueue& queue) override {
        for (const std::size_t index : order_) {
            queue.started(index);
            auto execution = run(queue.request(index), [] { return true; });
            if (execution) {
                execution->boot = static_cast<std::int64_t>(100 - index);
            }
            if (!queue.ended(index, std::move(execution))) {
                return false;
            }
        }
        return order_.size() == queue.size();
    }

  private:
    std::vector<std::size_t> order_;
};

class RunnerOrderTest : public RunnerTest {
  protected:
    RunCounts run_in_order(std::vector<std::size_t> order) {
        OutOfOrder executor(
            [](const CellRequest&, CellRecord& record) {
                measured(record);
                record.cell = 1;  // what a guest calls each of its cells
                return CellExecution{};
            },
            std::move(order));
        auto writer = BundleWriter::create(folder_ / "bundle", Json::object());
        EXPECT_TRUE(writer.ok());
        auto counts = run_plan(plan_, executor, *writer, silent_, fallback_, folder_ / "scratch",
                               std::chrono::seconds(60));
        EXPECT_TRUE(counts.ok());
        bundle_ = *read_bundle(folder_ / "bundle");
        return *counts;
    }
};

TEST_F(RunnerOrderTest, TheBundleHasCellsInTheOrderOfThePlan) {
    const auto counts = run_in_order({2, 0, 3, 1});
    EXPECT_EQ(counts.ok, 4);
    EXPECT_FALSE(counts.interrupted);
    ASSERT_EQ(bundle_.rows.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(bundle_.rows[i].key.order, static_cast<std::int64_t>(i) + 1);
        EXPECT_EQ(bundle_.rows[i].key.clients, static_cast<std::int64_t>(i) + 1);
        EXPECT_EQ(bundle_.rows[i].key.boot, static_cast<std::int64_t>(i) + 1);
        EXPECT_EQ(bundle_.run["cells"][i]["cell"], i + 1);
    }
    const auto samples = read_samples(bundle_);
    ASSERT_TRUE(samples.ok());
    EXPECT_THAT(*samples, HasSubstr("\n1,wakeup,,,,1000\n"));
    EXPECT_THAT(*samples, HasSubstr("\n4,wakeup,,,,4000\n"));
    EXPECT_TRUE(std::filesystem::is_empty(folder_ / "scratch"));
}

TEST_F(RunnerOrderTest, AnInterruptKeepsWhatEndedBehindAGap) {
    const auto counts = run_in_order({3, 0});
    EXPECT_TRUE(counts.interrupted);
    EXPECT_EQ(counts.planned, 4);
    EXPECT_EQ(counts.ok, 2);
    ASSERT_EQ(bundle_.rows.size(), 2U);
    EXPECT_EQ(bundle_.rows[0].key.order, 1);
    EXPECT_EQ(bundle_.rows[1].key.order, 4);
    EXPECT_TRUE(std::filesystem::is_empty(folder_ / "scratch"));
}

}  // namespace
}  // namespace bench
