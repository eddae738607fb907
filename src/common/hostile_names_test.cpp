#include <gtest/gtest.h>

#include "common/bundle.h"
#include "common/file.h"
#include "common/testing/cell_records.h"
#include "common/testing/shell.h"
#include "common/testing/temp_folder.h"

namespace bench {
namespace {

using testing::measured_cell;
using testing::run_python;
using testing::TempFolder;

std::vector<std::string> hostile_names() {
    return {"</title><script>alert(1)</script>",
            "a\"b,c",
            "two\nlines\r\nand more\r",
            "\x1b[31mred\x1b[0m",
            "=1+1",
            "+cmd",
            "-1",
            "@SUM(A1)",
            "\tTab",
            "'=1+1",
            "'",
            "1,5",
            "semi;colon=100%;%3B",
            "\xc3\xa4\xc3\xb6 \xe2\x82\xac \xf0\x9f\x90\xa7",
            "{\"json\": [1, 2]}",
            "null",
            " spaces ",
            "6.12.0-rc1+",
            "6.6.87~dirty"};
}

/// A bundle that has each name as label, variant's value and subject.
class HostileNames : public ::testing::Test {
  protected:
    void SetUp() override {
        const std::vector<std::string> names = hostile_names();
        auto writer = BundleWriter::create(dir_, {{"label", names}});
        ASSERT_TRUE(writer.ok());
        for (std::size_t i = 0; i < names.size(); ++i) {
            CellRecord record = measured_cell(static_cast<std::int64_t>(i) + 1, 1);
            record.key.variant = format_variant({{"load", names[i]}});
            record.key.kernel = names[i];
            record.key.scheduler = names[i];
            record.series[0].subject = names[i];
            record.series[0].values[0] = -1000;
            record.reason = names[i];
            ASSERT_TRUE(writer->add(record).ok());
        }
    }

    TempFolder folder_;
    std::filesystem::path dir_ = folder_ / "bundle";
};

TEST_F(HostileNames, OurReaderGivesThemBack) {
    const auto bundle = read_bundle(dir_);
    ASSERT_TRUE(bundle.ok()) << bundle.error().message();
    const std::vector<std::string> names = hostile_names();
    EXPECT_EQ(bundle->run["label"], Json(names));
    ASSERT_EQ(bundle->rows.size(), 2 * names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        const SummaryRow& row = bundle->rows[2 * i];
        EXPECT_EQ(row.subject, names[i]);
        EXPECT_EQ(row.key.kernel, names[i]);
        EXPECT_EQ(row.key.scheduler, names[i]);
        EXPECT_EQ(parse_variant(row.key.variant).at(0).second, names[i]);
        EXPECT_EQ(bundle->run["cells"][i]["variant"], row.key.variant);
        EXPECT_EQ(bundle->run["cells"][i]["reason"], names[i]);
    }
}

TEST_F(HostileNames, PythonsStandardLibraryGivesThemBack) {
    const auto names_file = folder_ / "names.json";
    ASSERT_TRUE(write_file_atomically(names_file, json_text(Json(hostile_names()))).ok());
    const testing::ShellResult python = run_python(
        R"(
import csv, gzip, io, json, sys
folder, names_file = sys.argv[1:]
def strict(text): raise ValueError(text)
names = json.load(open(names_file, encoding="utf-8"))
run = json.load(open(folder + "/run.json", encoding="utf-8"), parse_constant=strict)
assert run["label"] == names, run["label"]
assert [cell["reason"] for cell in run["cells"]] == names

def unmark(field):
    return field[1:] if len(field) > 1 and field[0] == "'" and field[1] in "=+-@\t\r'" else field

with open(folder + "/summary.csv", encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file, strict=True))
assert len(rows) == 2 * len(names), len(rows)
for name, row in zip(names, rows[::2]):
    assert None not in row and None not in row.values(), row
    assert row["subject"][:1] not in ("=", "+", "-", "@", "\t", "\r"), row
    assert unmark(row["subject"]) == name, (row["subject"], name)
    assert unmark(row["kernel"]) == name
    assert unmark(row["scheduler"]) == name
    value = row["variant"].removeprefix("load=")
    assert value.replace("%3B", ";").replace("%25", "%") == name, (value, name)
    assert float(row["mean"]) == -1000

text = gzip.open(folder + "/samples.csv.gz").read().decode("utf-8")
samples = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
assert [unmark(row["subject"]) for row in samples[::2]] == names
assert all(float(row["value"]) == -1000 for row in samples[::2])
print("all read")
)",
        {dir_.string(), names_file.string()});
    EXPECT_EQ(python.status, 0);
    EXPECT_EQ(python.output, "all read\n");
}

TEST_F(HostileNames, NumbersStayUnquotedAlsoNegativeOnes) {
    const std::string text = *read_file(dir_ / "summary.csv");
    EXPECT_NE(text.find(",wakeup,ns,lower,ok,1,-1000,,-1000,"), std::string::npos) << text;
}

TEST_F(HostileNames, GunzipReadsAllSamples) {
    const auto text = read_samples(*read_bundle(dir_));
    ASSERT_TRUE(text.ok());
    EXPECT_EQ(testing::run_shell("zcat " + testing::shell_word(dir_ / "samples.csv.gz")).output,
              *text);
}

TEST(NamesThatAreNotUtf8, AreReplacedAlikeInBothFiles) {
    const TempFolder folder;
    auto writer = BundleWriter::create(folder / "bundle", Json::object());
    ASSERT_TRUE(writer.ok());
    CellRecord record = measured_cell(1);
    record.key.variant = "load=caf\xe9 \xf0\x9f\x90 end";
    ASSERT_TRUE(writer->add(record).ok());
    const auto bundle = read_bundle(folder / "bundle");
    ASSERT_TRUE(bundle.ok()) << bundle.error().message();
    EXPECT_EQ(bundle->run["cells"][0]["variant"], bundle->rows[0].key.variant);
    EXPECT_NE(bundle->rows[0].key.variant.find("caf\xef\xbf\xbd"), std::string::npos);
}

}  // namespace
}  // namespace bench
