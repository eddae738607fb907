#include "app/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using ::testing::HasSubstr;
using ::testing::Not;

namespace bench {
namespace {

Json tainted(const char* taint) {
    return {{"cell", 1}, {"status", "tainted"}, {"taints", {taint}}};
}

RunEnd ended_with(Json cells) {
    RunEnd end;
    end.folder = "results/x";
    end.status = "complete";
    Bundle bundle;
    bundle.run = {{"plan", {{"test", "latt"}, {"repetitions", 1}, {"duration_ns", 2'000'000'000}}},
                  {"cells", std::move(cells)}};
    SummaryRow row;
    row.key.test = "latt";
    row.key.kernel = "6.18";
    row.metric = {"wakeup", "ns", Better::lower, ""};
    bundle.rows = {row};
    end.bundle = std::move(bundle);
    return end;
}

const std::vector<TableColumn> kColumns = {{"p50", "wakeup", Statistic::p50}};

TEST(RunReport, RemarksThatDifferInTheirFiguresAreOne) {
    const std::string text = run_as_text(
        ended_with({tainted("load failed at t=0.001s: exit status 2"),
                    tainted("load failed at t=-0.002s: exit status 2"),
                    tainted("load failed at t=12.5s: exit status 2"), tainted("throttled")}),
        kColumns);
    EXPECT_THAT(text, HasSubstr("tainted: load failed at t=0.001s: exit status 2  (3 cells, with "
                                "other figures)\ntainted: throttled\n"));
}

TEST(RunReport, TheTitleTellsWhatEndsTheCells) {
    const Json by_work = {{"cell", 1}, {"status", "ok"}, {"duration_ns", nullptr}};
    const Json by_time = {{"cell", 2}, {"status", "ok"}, {"duration_ns", 2'000'000'000}};
    EXPECT_THAT(run_as_text(ended_with(Json::array({by_time})), kColumns),
                HasSubstr(", 2s a cell\n"));
    EXPECT_THAT(run_as_text(ended_with(Json::array({by_work, by_work})), kColumns),
                HasSubstr(", each to the end of its work\n"));
    EXPECT_THAT(run_as_text(ended_with(Json::array({by_work, by_time})), kColumns),
                HasSubstr(", 2s a cell or each to the end of its work\n"));
}

TEST(RunReport, TheLastLineCountsWhatIsMissing) {
    RunEnd end = ended_with(Json::array());
    EXPECT_THAT(run_as_text(end, kColumns), Not(HasSubstr("not-run")));
    end.counts.planned = 3;
    end.counts.not_run = 1;
    end.counts.failed = 2;
    EXPECT_TRUE(run_as_text(end, kColumns).ends_with("1 of 3 cells not-run, 2 failed\n"));
}

TEST(RunReport, TheTitleOfAnImportClaimsNoTimeAndNoKernel) {
    RunEnd end = ended_with(Json::array());
    end.bundle->run["plan"] = {{"test", "latt"}, {"repetitions", 1}};
    EXPECT_TRUE(
        run_as_text(end, kColumns).starts_with("latt on 6.18 (unknown scheduler), imported\n"));
    end.bundle->rows[0].key.kernel.clear();
    EXPECT_TRUE(run_as_text(end, kColumns).starts_with("latt (unknown scheduler), imported\n"));
}

TEST(RunReport, JsonHasNullForWhatWasNotMeasured) {
    const Json json = Json::parse(run_as_json(ended_with({tainted("throttled")})));
    EXPECT_TRUE(json["rows"][0]["p50"].is_null());
    EXPECT_TRUE(json["rows"][0]["count"].is_null());
    EXPECT_EQ(json["cells"][0]["taints"][0], "throttled");
}

}  // namespace
}  // namespace bench
