#include "analysis/side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/testing/cell_records.h"
#include "common/testing/temp_folder.h"

namespace bench::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A bundle of `cells` cells, each in a boot of its own.
void write_bundle(const std::filesystem::path& dir, const std::string& kernel, std::int64_t cells,
                  const char* status, Json head = Json::object()) {
    auto writer = BundleWriter::create(dir, std::move(head));
    ASSERT_TRUE(writer) << writer.error().message();
    for (std::int64_t cell = 1; cell <= cells; ++cell) {
        CellRecord record = bench::testing::measured_cell(cell);
        record.key.kernel = kernel;
        record.key.repetition = cell;
        record.environment = bench::testing::environment_of_boot("boot-" + std::to_string(cell));
        ASSERT_TRUE(writer->add(record));
    }
    if (status != nullptr) {
        ASSERT_TRUE(writer->finish(status, "stopped by SIGINT"));
    }
}

TEST(Side, ALaunchHasItsRowsItsCellAndItsEnvironment) {
    const bench::testing::TempFolder folder;
    write_bundle(folder / "one", "6.12.1", 3, "complete");
    const auto side = read_side(folder / "one");
    ASSERT_TRUE(side) << side.error().message();
    EXPECT_EQ(side->label, "one");
    ASSERT_EQ(side->launches.size(), 3U);
    EXPECT_THAT(side->incomplete, IsEmpty());
    EXPECT_THAT(side->boots(), ElementsAre("boot-1", "boot-2", "boot-3"));
    const Launch& second = side->launches[1];
    EXPECT_EQ(second.rows.size(), 2U);
    EXPECT_EQ(second.boot_id, "boot-2");
    EXPECT_EQ(second.cell["cell"], 2);
    EXPECT_EQ(second.status(), RowStatus::ok);
    ASSERT_NE(second.environment, nullptr);
    EXPECT_EQ((*second.environment)["boot_id"], "boot-2");
}

TEST(Side, AFolderOfBundlesIsOneSide) {
    const bench::testing::TempFolder folder;
    write_bundle(folder / "a", "6.12-rc3", 1, "complete", {{"label", "candidates"}});
    write_bundle(folder / "b", "6.9.12", 2, "incomplete");
    const auto side = read_side(folder.path());
    ASSERT_TRUE(side) << side.error().message();
    EXPECT_EQ(side->label, "candidates");
    EXPECT_EQ(side->launches.size(), 3U);
    EXPECT_EQ(side->launches[2].bundle, 1U);
    EXPECT_THAT(side->kernels(), ElementsAre("6.9.12", "6.12-rc3"));
    EXPECT_THAT(side->incomplete, ElementsAre(HasSubstr("not complete (stopped by SIGINT)")));
}

TEST(Side, AKilledWriterLeavesWholeCells) {
    const bench::testing::TempFolder folder;
    write_bundle(folder / "killed", "6.12.1", 2, nullptr);
    const auto side = read_side(folder / "killed");
    ASSERT_TRUE(side) << side.error().message();
    EXPECT_EQ(side->launches.size(), 2U);
    EXPECT_THAT(side->incomplete, ElementsAre(HasSubstr("was killed")));
}

TEST(Side, RowsWithoutACellAreSaid) {
    const bench::testing::TempFolder folder;
    write_bundle(folder / "edited", "6.12.1", 2, "complete");
    auto bundle = read_bundle(folder / "edited");
    ASSERT_TRUE(bundle);
    bundle->rows[0].key.repetition = 77;
    Side side;
    add_bundle(side, *bundle);
    EXPECT_THAT(side.incomplete, ElementsAre(HasSubstr("1 rows of summary.csv belong to no cell")));
}

TEST(Side, WhatIsNoBundleIsRefused) {
    const bench::testing::TempFolder folder;
    for (const auto& path : {folder.path(), folder / "nonesuch"}) {
        const auto side = read_side(path);
        ASSERT_FALSE(side);
        EXPECT_EQ(side.error().object, path.string());
        EXPECT_THAT(side.error().detail, HasSubstr("neither a bundle"));
    }
}

}  // namespace
}  // namespace bench::analysis
