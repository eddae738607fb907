#include "common/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "common/file.h"
#include "common/gzip.h"
#include "common/testing/cell_records.h"
#include "common/testing/temp_folder.h"

namespace bench {
namespace {

using ::testing::ElementsAre;
using testing::environment_of_boot;
using ::testing::HasSubstr;
using testing::measured_cell;
using testing::names_in;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using testing::TempFolder;
using testing::wakeup_metric;

/// The key names of a JSON object in the order written.
std::vector<std::string> keys_of(const Json& object) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.items()) {
        keys.push_back(key);
    }
    return keys;
}

class BundleTest : public ::testing::Test {
  protected:
    BundleWriter create() {
        auto writer = BundleWriter::create(dir_, {{"tool", "bench 0.1.0"}, {"label", "test"}});
        EXPECT_TRUE(writer.ok()) << writer.error().message();
        return std::move(*writer);
    }
    static void must(const Status& status) { ASSERT_TRUE(status.ok()) << status.error().message(); }
    Bundle read() {
        auto bundle = read_bundle(dir_);
        EXPECT_TRUE(bundle.ok()) << bundle.error().message();
        return std::move(*bundle);
    }
    std::string text_of(const char* name) { return *read_file(dir_ / name); }
    std::string samples() { return *read_samples(read()); }

    TempFolder folder_;
    std::filesystem::path dir_ = folder_ / "results/run-1";
};

TEST_F(BundleTest, AllThreeFilesAreThereBeforeAnythingIsMeasured) {
    const BundleWriter writer = create();
    EXPECT_THAT(names_in(dir_), ElementsAre("run.json", "samples.csv.gz", "summary.csv"));
    EXPECT_EQ(text_of("summary.csv"), std::string(summary_header()) + "\n");
    EXPECT_EQ(samples(), "cell,metric,subject,client,at_ns,value\n");
    EXPECT_THAT(keys_of(read().run),
                ElementsAre("schema", "schema_version", "tool", "label", "status", "metrics",
                            "boots", "environments", "samples_bytes", "summary_bytes", "cells"));
    EXPECT_EQ(read().run["schema"], "bench-result");
    EXPECT_EQ(read().run["status"], "running");
}

TEST_F(BundleTest, TheHeaderLineIsExactAndUnitsHaveAColumn) {
    EXPECT_EQ(summary_header(),
              "test,kernel,scheduler,variant,clients,repetition,boot,pair,order,seed,subject,"
              "metric,unit,better,status,count,mean,stdev,min,p50,p90,p95,p99,p999,max");
    BundleWriter writer = create();
    must(writer.add(measured_cell(1)));
    EXPECT_THAT(text_of("summary.csv"),
                HasSubstr("\nlatt,6.12.0-test,EEVDF,load=none,2,1,1,,,7,,wakeup,ns,lower,ok,20,"
                          "1010,6,1000,1009,,,,,1019\n"
                          "latt,6.12.0-test,EEVDF,load=none,2,1,1,,,7,,rounds,1,none,ok,1,"
                          "20,,20,,,,,,20\n"));
}

TEST_F(BundleTest, ACellIsInAllThreeFiles) {
    BundleWriter writer = create();
    must(writer.add(measured_cell(1, 2)));
    EXPECT_EQ(samples(),
              "cell,metric,subject,client,at_ns,value\n1,wakeup,,0,0,1000\n"
              "1,wakeup,,1,1000000,1001\n1,rounds,,,,2\n");
    const Json cell = read().run["cells"][0];
    EXPECT_THAT(keys_of(cell),
                ElementsAre("cell", "test", "kernel", "scheduler", "variant", "clients",
                            "repetition", "boot", "seed", "status", "duration", "environment"));
    EXPECT_EQ(cell["environment"], 0);
    EXPECT_EQ(read().run["environments"][0], environment_of_boot("boot-a"));
    EXPECT_EQ(read().run["metrics"][0]["description"], wakeup_metric().description);
    EXPECT_EQ(read().run["samples_bytes"], text_of("samples.csv.gz").size());
}

TEST_F(BundleTest, SamplesAreOneMemberACell) {
    BundleWriter writer = create();
    const std::string header = text_of("samples.csv.gz");
    must(writer.add(measured_cell(1)));
    const std::string with_first = text_of("samples.csv.gz");
    EXPECT_THAT(with_first, StartsWith(header));
    CellRecord without = measured_cell(2);
    without.series.clear();
    must(writer.add(without));
    EXPECT_EQ(text_of("samples.csv.gz"), with_first);
    must(writer.add(measured_cell(3)));
    EXPECT_THAT(text_of("samples.csv.gz"), StartsWith(with_first));
    const auto second = first_gzip_member(std::string_view(with_first).substr(header.size()));
    ASSERT_TRUE(second.ok());
    EXPECT_EQ(second->size, with_first.size() - header.size());
}

TEST_F(BundleTest, ACellWithoutSamplesHasItsRowsAndNoNumbers) {
    BundleWriter writer = create();
    CellRecord record = measured_cell(1);
    record.series.clear();
    record.status = RowStatus::not_run;
    record.reason = "25 clients need 53 file descriptors, the limit is 40";
    record.hint = "ulimit -n 53";
    must(writer.add(record));
    record.cell = 2;
    record.status = RowStatus::failed;
    record.series = measured_cell(2).series;
    record.series[0].values.clear();
    record.series[0].clients.clear();
    record.series[0].at_ns.clear();
    must(writer.add(record));

    const Bundle bundle = read();
    ASSERT_THAT(bundle.rows, SizeIs(4));
    EXPECT_EQ(bundle.rows[0].status, RowStatus::not_run);
    EXPECT_FALSE(bundle.rows[0].figures.has_value());
    EXPECT_EQ(bundle.run["cells"][0]["reason"], record.reason);
    EXPECT_EQ(bundle.run["cells"][0]["hint"], record.hint);
    EXPECT_THAT(text_of("summary.csv"), HasSubstr("wakeup,ns,lower,not-run,,,,,,,,,,\n"));
    EXPECT_THAT(text_of("summary.csv"), HasSubstr("wakeup,ns,lower,failed,0,,,,,,,,,\n"));
    for (const char* name : {"summary.csv", "run.json"}) {
        std::string text = text_of(name);
        std::transform(text.begin(), text.end(), text.begin(),
                       [](char c) { return static_cast<char>(std::tolower(c)); });
        for (const char* wrong : {"nan", "inf", "92233720368547", "18446744073709"}) {
            EXPECT_THAT(text, Not(HasSubstr(wrong))) << name;
        }
    }
}

TEST_F(BundleTest, AnUnmeasuredNumberIsNullInJson) {
    const Json json = {{"a", std::nan("")}, {"b", std::numeric_limits<double>::infinity()}};
    EXPECT_EQ(json_text(json), "{\n  \"a\": null,\n  \"b\": null\n}\n");
}

TEST_F(BundleTest, ACellThatNamesNoMetricStillHasARow) {
    BundleWriter writer = create();
    CellRecord record;
    record.key.test = "latt";
    record.status = RowStatus::not_run;
    must(writer.add(record));
    ASSERT_THAT(read().rows, SizeIs(1));
    EXPECT_EQ(read().rows[0].key.test, "latt");
    EXPECT_EQ(read().rows[0].metric.name, "");
}

TEST_F(BundleTest, EachSubjectAndEachMetricBeyondTheTestsOwnHasARow) {
    BundleWriter writer = create();
    CellRecord record = measured_cell(1);
    Series other = record.series[1];
    other.subject = "client 1";
    record.series.push_back(other);
    other.metric.name = "frames_dropped";
    record.series.push_back(other);
    must(writer.add(record));
    std::vector<std::string> rows;
    for (const SummaryRow& row : read().rows) {
        rows.push_back(row.metric.name + "/" + row.subject);
    }
    EXPECT_THAT(rows,
                ElementsAre("wakeup/", "rounds/", "rounds/client 1", "frames_dropped/client 1"));
    EXPECT_THAT(read().run["metrics"], SizeIs(3));
}

TEST_F(BundleTest, FiguresWithoutSamplesHaveTheirRowAndNoSamples) {
    BundleWriter writer = create();
    CellRecord record = measured_cell(1);
    record.series.clear();
    Summary summary;
    summary.count = 176;
    summary.mean = 14'512'000;
    summary.max = 43'974'000;
    record.summaries = {{wakeup_metric(), {}, summary}, {wakeup_metric(), "client 1", summary}};
    const std::string header_only = text_of("samples.csv.gz");
    must(writer.add(record));
    EXPECT_THAT(text_of("summary.csv"),
                HasSubstr(",,wakeup,ns,lower,ok,176,14512000,,,,,,,,43974000\n"
                          "latt,6.12.0-test,EEVDF,load=none,2,1,1,,,7,client 1,wakeup,"));
    EXPECT_THAT(text_of("summary.csv"), HasSubstr(",rounds,1,none,ok,,,,,,,,,,\n"));
    EXPECT_EQ(text_of("samples.csv.gz"), header_only);
    EXPECT_FALSE(read().rows[0].figures->stdev.has_value());
}

TEST_F(BundleTest, FiguresGivenTwiceOrNotFiniteAreRefused) {
    BundleWriter writer = create();
    CellRecord record = measured_cell(1);
    record.summaries = {{wakeup_metric(), {}, {}}};
    EXPECT_FALSE(writer.add(record).ok()) << "the series has this metric and subject too";
    record.series.clear();
    record.summaries[0].summary.max = std::numeric_limits<double>::infinity();
    EXPECT_FALSE(writer.add(record).ok());
    record.summaries[0].summary.max = 1;
    EXPECT_TRUE(writer.add(record).ok());
}

TEST_F(BundleTest, ADoubtMakesTheCellTainted) {
    BundleWriter writer = create();
    CellRecord record = measured_cell(1);
    record.taints = {"steal time 5 %"};
    record.notes = {"timer slack 50 us"};
    must(writer.add(record));
    EXPECT_EQ(read().rows[0].status, RowStatus::tainted);
    const Json cell = read().run["cells"][0];
    EXPECT_EQ(cell["status"], "tainted");
    EXPECT_EQ(cell["taints"], Json::array({"steal time 5 %"}));
    EXPECT_EQ(cell["notes"], Json::array({"timer slack 50 us"}));
}

TEST_F(BundleTest, AFailedCellStaysFailedWithADoubt) {
    BundleWriter writer = create();
    CellRecord record = measured_cell(1);
    record.status = RowStatus::failed;
    record.taints = {"steal time 5 %"};
    must(writer.add(record));
    EXPECT_EQ(read().rows[0].status, RowStatus::failed);
}

TEST_F(BundleTest, LongDurationsKeepTheirValueInEveryFile) {
    BundleWriter writer = create();
    CellRecord record = measured_cell(1);
    record.series[0].values = {5e9, 2.4e12};
    record.series[0].clients.clear();
    record.series[0].at_ns = {5'000'000'000, 2'400'000'000'000};
    must(writer.add(record));
    EXPECT_EQ(read().rows[0].figures->min, 5e9);
    EXPECT_EQ(read().rows[0].figures->max, 2.4e12);
    EXPECT_THAT(text_of("summary.csv"), HasSubstr(",5000000000,"));
    EXPECT_THAT(samples(), HasSubstr(",5000000000,5000000000\n"));
    EXPECT_THAT(samples(), HasSubstr(",2400000000000,2400000000000\n"));
}

TEST_F(BundleTest, BootsAreNumberedByTheirBootId) {
    BundleWriter writer = create();
    const char* const boot_ids[] = {"a", "b", "a"};
    for (int i = 0; i < 3; ++i) {
        CellRecord record = measured_cell(i + 1);
        record.environment = environment_of_boot(boot_ids[i]);
        must(writer.add(record));
    }
    CellRecord unknown = measured_cell(4);
    unknown.environment = nullptr;
    must(writer.add(unknown));
    const Bundle bundle = read();
    std::vector<std::optional<std::int64_t>> boots;
    for (const SummaryRow& row : bundle.rows) {
        if (row.metric.name == "wakeup") {
            boots.push_back(row.key.boot);
        }
    }
    EXPECT_THAT(boots, ElementsAre(1, 2, 1, std::nullopt));
    EXPECT_EQ(bundle.run["boots"],
              Json::parse(R"([{"boot":1,"boot_id":"a"},{"boot":2,"boot_id":"b"}])"));
    EXPECT_EQ(bundle.run["cells"][2]["boot"], 1);
    EXPECT_FALSE(bundle.run["cells"][3].contains("boot"));
    EXPECT_FALSE(bundle.run["cells"][3].contains("environment"));
    EXPECT_THAT(bundle.run["environments"], SizeIs(2));
}

TEST_F(BundleTest, FinishingTellsStatusAndReason) {
    BundleWriter writer = create();
    must(writer.add(measured_cell(1)));
    must(writer.finish("incomplete", "stopped by SIGINT"));
    EXPECT_EQ(read().run["status"], "incomplete");
    EXPECT_EQ(read().run["status_reason"], "stopped by SIGINT");
    must(writer.finish("complete"));
    EXPECT_EQ(read().run["status"], "complete");
    EXPECT_FALSE(read().run.contains("status_reason"));
    EXPECT_EQ(writer.run()["status"], "complete");
}

TEST_F(BundleTest, AnExistingFolderIsNeverOverwritten) {
    create();
    const std::string before = text_of("run.json");
    const auto again = BundleWriter::create(dir_, {{"label", "other"}});
    ASSERT_FALSE(again.ok());
    EXPECT_THAT(again.error().message(), HasSubstr("File exists"));
    EXPECT_THAT(again.error().message(), HasSubstr(dir_.string()));
    EXPECT_EQ(text_of("run.json"), before);
}

TEST_F(BundleTest, TheHeaderCannotTakeTheWritersKeys) {
    EXPECT_FALSE(BundleWriter::create(dir_, {{"cells", 1}}).ok());
    EXPECT_FALSE(std::filesystem::exists(dir_));
}

TEST_F(BundleTest, DetailsNeverHideWhatTheCellIs) {
    BundleWriter writer = create();
    CellRecord record = measured_cell(1);
    record.details = {{"status", "fine"}, {"load", "compile"}};
    must(writer.add(record));
    const Json cell = read().run["cells"][0];
    EXPECT_EQ(cell["status"], "ok");
    EXPECT_EQ(cell["load"], "compile");
    EXPECT_EQ(cell["details"]["status"], "fine");
}

TEST_F(BundleTest, WhatCannotBeWrittenTrulyIsRefused) {
    BundleWriter writer = create();
    must(writer.add(measured_cell(1)));
    const std::string before = text_of("summary.csv");
    EXPECT_FALSE(writer.add(measured_cell(1)).ok()) << "a cell number used twice";
    CellRecord record = measured_cell(2);
    record.series[0].values[3] = std::nan("");
    EXPECT_FALSE(writer.add(record).ok()) << "not a number";
    record = measured_cell(2);
    record.series[0].clients.pop_back();
    EXPECT_FALSE(writer.add(record).ok()) << "a client missing";
    record = measured_cell(2);
    record.series.push_back(record.series[0]);
    EXPECT_FALSE(writer.add(record).ok()) << "a metric twice";
    EXPECT_EQ(text_of("summary.csv"), before);
    must(writer.add(measured_cell(2)));
}

class DamagedBundle : public BundleTest {
  protected:
    void SetUp() override {
        BundleWriter writer = create();
        must(writer.add(measured_cell(1)));
        must(writer.finish("complete"));
    }
    void replace(const char* name, std::string_view from, std::string_view to) {
        std::string text = text_of(name);
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        std::ofstream(dir_ / name, std::ios::binary) << text;
    }
    std::string error() {
        const auto bundle = read_bundle(dir_);
        EXPECT_FALSE(bundle.ok());
        return bundle.ok() ? std::string() : bundle.error().message();
    }
};

TEST_F(DamagedBundle, SummaryErrorsNameFileLineAndColumn) {
    replace("summary.csv", ",1010,", ",\"1,5\",");
    EXPECT_THAT(error(), HasSubstr((dir_ / "summary.csv").string() + " line 2: mean: '1,5'"));
}

TEST_F(DamagedBundle, AnUnknownWordIsRefused) {
    replace("summary.csv", "lower", "smaller");
    EXPECT_THAT(error(), HasSubstr("line 2: better: 'smaller' is not one of lower, higher, none"));
}

TEST_F(DamagedBundle, AnotherHeaderIsRefused) {
    replace("summary.csv", "p999", "p9999");
    EXPECT_THAT(error(), HasSubstr("line 1: the header is not"));
}

TEST_F(DamagedBundle, FiguresWithoutACountAreRefused) {
    replace("summary.csv", "ok,20,", "ok,,");
    EXPECT_THAT(error(), HasSubstr("line 2: max: figures without a count"));
}

TEST_F(DamagedBundle, ANewerSchemaIsRefused) {
    replace("run.json", "\"schema_version\": 1", "\"schema_version\": 2");
    EXPECT_THAT(error(), HasSubstr("schema_version 2 is not 1"));
}

TEST_F(DamagedBundle, BrokenJsonIsRefusedWithItsLine) {
    replace("run.json", "\"schema_version\": 1,", "\"schema_version\": 1");
    EXPECT_THAT(error(), HasSubstr((dir_ / "run.json").string() + " line 4: not valid JSON"));
}

TEST_F(DamagedBundle, AMissingFileIsNamed) {
    std::filesystem::remove(dir_ / "summary.csv");
    EXPECT_THAT(error(), HasSubstr("summary.csv: No such file or directory"));
}

TEST_F(DamagedBundle, SamplesThatAreCutShortAreRefused) {
    const Bundle bundle = read();
    std::filesystem::resize_file(dir_ / "samples.csv.gz", 30);
    const auto text = read_samples(bundle);
    ASSERT_FALSE(text.ok());
    EXPECT_THAT(text.error().message(), HasSubstr("samples.csv.gz"));
}

}  // namespace
}  // namespace bench
