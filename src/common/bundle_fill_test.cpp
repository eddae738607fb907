#include <gmock/gmock.h>

#include "common/bundle.h"
#include "common/statistics.h"
#include "common/testing/temp_folder.h"

namespace bench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Metric kKnown{"known", "1", Better::none, "there at once"};
const Metric kLate{"late, \"quoted\"", "ratio", Better::higher, "known beside others alone"};

class BundleFillTest : public ::testing::Test {
  protected:
    BundleFillTest() {
        for (std::int64_t order = 1; order <= 2; ++order) {
            CellRecord record;
            record.cell = order + 10;
            record.key.test = "test";
            record.key.order = order;
            record.metrics = {kKnown, kLate};
            record.series = {{.metric = kKnown,
                              .subject = "=a\nb",
                              .values = {0.1},
                              .clients = {},
                              .at_ns = {}}};
            EXPECT_TRUE(writer_->add(record));
        }
    }

    static LateFigures late(std::int64_t order, const Metric& metric, double value) {
        LateFigures figures;
        figures.order = order;
        figures.series = {
            {.metric = metric, .subject = {}, .values = {value}, .clients = {}, .at_ns = {}}};
        return figures;
    }

    [[nodiscard]] Bundle bundle() const {
        auto read = read_bundle(folder_ / "bundle");
        EXPECT_TRUE(read) << read.error().message();
        return read ? *read : Bundle{};
    }

    testing::TempFolder folder_;
    Result<BundleWriter> writer_ = BundleWriter::create(folder_ / "bundle", Json::object());
};

TEST_F(BundleFillTest, OneRowIsFilledAndNoOtherChanges) {
    const Bundle before = bundle();
    LateFigures figures = late(2, kLate, 0.75);
    figures.addition.details["reference"] = 1;
    ASSERT_TRUE(writer_->fill({figures}));
    const Bundle after = bundle();
    ASSERT_EQ(after.rows.size(), before.rows.size());
    for (std::size_t i = 0; i < after.rows.size(); ++i) {
        const SummaryRow& row = after.rows[i];
        if (row.key.order == 2 && row.metric.name == kLate.name) {
            ASSERT_TRUE(row.figures);
            EXPECT_EQ(row.figures->mean, 0.75);
            EXPECT_EQ(row.status, RowStatus::ok);
        } else {
            EXPECT_EQ(format_summary_row(row), format_summary_row(before.rows[i]));
        }
    }
    EXPECT_EQ(after.run["cells"][1]["reference"], 1);
    EXPECT_FALSE(after.run["cells"][0].contains("reference"));
    const auto samples = read_samples(after);
    ASSERT_TRUE(samples);
    EXPECT_THAT(*samples, HasSubstr("\n12,\"late, \"\"quoted\"\"\",,,,0.75\n"));
}

TEST_F(BundleFillTest, ADoubtTaintsAllRowsOfTheCell) {
    LateFigures figures = late(1, kLate, 0.5);
    figures.addition.taints = {"what it is compared with is doubtful"};
    ASSERT_TRUE(writer_->fill({figures}));
    const Bundle after = bundle();
    for (const SummaryRow& row : after.rows) {
        EXPECT_EQ(row.status, row.key.order == 1 ? RowStatus::tainted : RowStatus::ok);
    }
    EXPECT_EQ(after.run["cells"][0]["status"], "tainted");
    EXPECT_EQ(after.run["cells"][0]["taints"].size(), 1U);
}

TEST_F(BundleFillTest, WhatWasMeasuredStaysAsItIs) {
    const Bundle before = bundle();
    EXPECT_TRUE(writer_->fill({late(1, kLate, 0.5)}));
    const Status again = writer_->fill({late(1, kLate, 0.6)});
    ASSERT_FALSE(again);
    EXPECT_THAT(again.error().message(), HasSubstr("has figures"));
    EXPECT_FALSE(writer_->fill({late(3, kLate, 0.6)})) << "no such cell";
    EXPECT_FALSE(writer_->fill({late(2, {"other", "1", Better::none, ""}, 1)})) << "no such row";
    const Bundle after = bundle();
    EXPECT_EQ(after.rows.size(), before.rows.size());
    EXPECT_THAT(after.run["cells"][1].value("taints", Json::array()), IsEmpty());
}

TEST_F(BundleFillTest, CellsComeAfterAsBefore) {
    ASSERT_TRUE(writer_->fill({late(1, kLate, 0.5), late(2, kLate, 0.25)}));
    CellRecord record;
    record.cell = 13;
    record.key.order = 3;
    record.metrics = {kKnown};
    record.series = {{.metric = kKnown, .subject = {}, .values = {3}, .clients = {}, .at_ns = {}}};
    ASSERT_TRUE(writer_->add(record));
    const auto samples = read_samples(bundle());
    ASSERT_TRUE(samples);
    EXPECT_THAT(*samples, HasSubstr("\n11,\"late, \"\"quoted\"\"\",,,,0.5\n"));
    EXPECT_THAT(*samples, HasSubstr("\n13,known,,,,3\n"));
}

}  // namespace
}  // namespace bench
