#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "common/bundle.h"
#include "common/file.h"
#include "common/gzip.h"
#include "common/testing/cell_records.h"
#include "common/testing/temp_folder.h"

namespace bench {
namespace {

using testing::environment_of_boot;
using ::testing::HasSubstr;
using testing::measured_cell;
using testing::names_in;
using ::testing::SizeIs;
using testing::TempFolder;

class MergeTest : public ::testing::Test {
  protected:
    /// Writes a cell as a process of its own would; returns its bundle's folder.
    std::filesystem::path cell_bundle(const CellRecord& record) {
        auto dir = folder_ / ("cell" + std::to_string(record.cell));
        auto writer = BundleWriter::create(dir, {{"command", "bench exec"}});
        EXPECT_TRUE(writer.ok());
        EXPECT_TRUE(writer->add(record).ok());
        EXPECT_TRUE(writer->finish("complete").ok());
        return dir;
    }
    BundleWriter create() {
        auto writer = BundleWriter::create(dir_, Json::object());
        EXPECT_TRUE(writer.ok());
        return std::move(*writer);
    }
    Bundle read() {
        auto bundle = read_bundle(dir_);
        EXPECT_TRUE(bundle.ok()) << bundle.error().message();
        return std::move(*bundle);
    }

    TempFolder folder_;
    std::filesystem::path dir_ = folder_ / "all";
};

TEST_F(MergeTest, TheRunnerStampsThePlaceAndTheCellKeepsTheRest) {
    CellRecord record = measured_cell(5);
    record.key.repetition = 1;
    record.details = {{"load", "compile"}};
    BundleWriter writer = create();
    CellKey place;
    place.test = place.kernel = place.scheduler = place.variant = "other";
    place.repetition = 3;
    place.pair = 4;
    place.order = 2;
    ASSERT_TRUE(writer.merge(cell_bundle(record), place).ok());

    const Bundle bundle = read();
    ASSERT_THAT(bundle.rows, SizeIs(2));
    const CellKey& key = bundle.rows[0].key;
    EXPECT_EQ(key.test, "latt");
    EXPECT_EQ(key.kernel, "6.12.0-test");
    EXPECT_EQ(key.scheduler, "EEVDF");
    EXPECT_EQ(key.variant, "load=none");
    EXPECT_EQ(key.clients, 2);
    EXPECT_EQ(key.seed, 7U);
    EXPECT_EQ(key.repetition, 3);
    EXPECT_EQ(key.pair, 4);
    EXPECT_EQ(key.order, 2);
    EXPECT_EQ(key.boot, 1);
    EXPECT_EQ(bundle.run["cells"][0],
              Json::parse(R"({"cell":5,"test":"latt","kernel":"6.12.0-test","scheduler":"EEVDF",
                 "variant":"load=none","clients":2,"repetition":3,"boot":1,"pair":4,"order":2,
                 "seed":7,"status":"ok","load":"compile","environment":0})"));
    EXPECT_EQ(bundle.run["metrics"][0]["name"], "wakeup");
}

TEST_F(MergeTest, AMergedCellIsTheSameAsOneAdded) {
    BundleWriter merged = create();
    auto added = BundleWriter::create(folder_ / "added", Json::object());
    ASSERT_TRUE(added.ok());
    for (std::int64_t cell = 1; cell <= 3; ++cell) {
        const CellRecord record = measured_cell(cell);
        ASSERT_TRUE(merged.merge(cell_bundle(record), record.key).ok());
        ASSERT_TRUE(added->add(record).ok());
    }
    for (const std::string& name : names_in(dir_)) {
        EXPECT_EQ(*read_file(dir_ / name), *read_file(folder_ / "added" / name)) << name;
    }
}

TEST_F(MergeTest, TheSamplesAreTakenOverByteForByte) {
    const auto cell = cell_bundle(measured_cell(1, 5000));
    BundleWriter writer = create();
    const std::string header = *read_file(dir_ / "samples.csv.gz");
    ASSERT_TRUE(writer.merge(cell, {}).ok());
    EXPECT_EQ(*read_file(dir_ / "samples.csv.gz"), *read_file(cell / "samples.csv.gz"));
    EXPECT_EQ(*read_samples(read()), *read_samples(*read_bundle(cell)));
    EXPECT_EQ(first_gzip_member(*read_file(dir_ / "samples.csv.gz"))->size, header.size());
}

TEST_F(MergeTest, ACellWithoutSamplesAddsNone) {
    CellRecord record = measured_cell(1);
    record.series.clear();
    record.status = RowStatus::failed;
    BundleWriter writer = create();
    const std::string before = *read_file(dir_ / "samples.csv.gz");
    ASSERT_TRUE(writer.merge(cell_bundle(record), {}).ok());
    EXPECT_EQ(*read_file(dir_ / "samples.csv.gz"), before);
    EXPECT_EQ(read().rows[0].status, RowStatus::failed);
    EXPECT_FALSE(read().rows[0].figures.has_value());
}

TEST_F(MergeTest, EnvironmentsAndBootsAreStoredOncePerDistinctOne) {
    BundleWriter writer = create();
    for (std::int64_t cell = 1; cell <= 3; ++cell) {
        CellRecord record = measured_cell(cell);
        record.environment = environment_of_boot(cell == 2 ? "boot-b" : "boot-a");
        ASSERT_TRUE(writer.merge(cell_bundle(record), {}).ok());
    }
    const Bundle bundle = read();
    EXPECT_THAT(bundle.run["environments"], SizeIs(2));
    EXPECT_THAT(bundle.run["boots"], SizeIs(2));
    EXPECT_EQ(bundle.run["cells"][2]["environment"], 0);
    EXPECT_EQ(bundle.rows[2].key.boot, 2);
    EXPECT_EQ(bundle.rows[4].key.boot, 1);
}

TEST_F(MergeTest, WhatTheBundleLacksIsToldAndNothingIsTaken) {
    BundleWriter writer = create();
    const auto before = *read_file(dir_ / "run.json");
    EXPECT_FALSE(writer.merge(folder_ / "nowhere", {}).ok());
    const auto empty = folder_ / "empty";
    ASSERT_TRUE(BundleWriter::create(empty, Json::object()).ok());
    const Status none = writer.merge(empty, {});
    ASSERT_FALSE(none.ok());
    EXPECT_THAT(none.error().message(), HasSubstr("it has 0 cells, not one"));
    const auto cut = cell_bundle(measured_cell(1));
    std::filesystem::resize_file(cut / "samples.csv.gz",
                                 std::filesystem::file_size(cut / "samples.csv.gz") - 1);
    const Status short_file = writer.merge(cut, {});
    ASSERT_FALSE(short_file.ok());
    EXPECT_THAT(short_file.error().message(), HasSubstr("bytes where run.json says"));
    EXPECT_EQ(*read_file(dir_ / "run.json"), before);
    EXPECT_THAT(names_in(dir_), SizeIs(3));
}

TEST_F(MergeTest, ACellNumberUsedTwiceIsRefused) {
    BundleWriter writer = create();
    const auto cell = cell_bundle(measured_cell(1));
    ASSERT_TRUE(writer.merge(cell, {}).ok());
    EXPECT_FALSE(writer.merge(cell, {}).ok());
    EXPECT_THAT(read().rows, SizeIs(2));
}

}  // namespace
}  // namespace bench
