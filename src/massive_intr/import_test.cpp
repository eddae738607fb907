#include "massive_intr/import.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "common/statistics.h"
#include "massive_intr/series.h"

namespace bench::massive_intr {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Series& find(const ImportedCell& cell, std::string_view name) {
    for (const Series& series : cell.outcome.series) {
        if (series.metric.name == name && series.subject.empty()) {
            return series;
        }
    }
    ADD_FAILURE() << "no series " << name;
    static const Series none;
    return none;
}

// A line of the table as `table()` asks for it: the loops' columns, with their decimals.
std::string table_line(const ImportedCell& cell) {
    std::string line;
    for (const TableColumn& column : table()) {
        if (column.metric == "loops") {
            const Summary summary = summarise(find(cell, "loops").values);
            line += fmt::format("{}{:.{}f}", line.empty() ? "" : " ",
                                summary.get(column.statistic).value(), column.decimals.value());
        }
    }
    return line;
}

TEST(ImportClassic, ThePublishedTableComesOutOfItsRawData) {
    struct Published {
        const char* scheduler;
        std::int64_t processes;
        const char* line;
    };
    for (const auto& published :
         {Published{"cfs", 30, "246 240 247 1.3"}, Published{"bfs", 30, "254 241 268 7.1"},
          Published{"edf", 7, "440 154 1405 444.8"}}) {
        std::ifstream file(std::string(BENCH_TEST_DATA_DIR) + "/massive_intr-2.6.31-" +
                           published.scheduler + ".txt");
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        const auto cell = import_classic(text);
        ASSERT_TRUE(cell.ok()) << cell.error().message();
        EXPECT_EQ(cell->clients, published.processes);
        EXPECT_EQ(table_line(*cell), published.line) << published.scheduler;
    }
}

TEST(ImportClassic, KeepsEachProcessWithItsPid) {
    const auto cell = import_classic("003873\t00000246\n1234567\t240\n");
    ASSERT_TRUE(cell.ok()) << cell.error().message();
    EXPECT_EQ(cell->clients, 2);
    EXPECT_THAT(find(*cell, "loops").values, ElementsAre(246, 240));
    EXPECT_EQ(find(*cell, "jain").values.size(), 1U);
    EXPECT_EQ(find(*cell, "loops_cv").values.size(), 1U);
    EXPECT_EQ(cell->outcome.details["processes"][0]["pid"], 3873);
    EXPECT_EQ(cell->outcome.details["processes"][1]["process"], 1);
    EXPECT_EQ(cell->outcome.details["processes"][1]["pid"], 1234567);
}

TEST(ImportClassic, TakesForeignLineEndsAndBlankLines) {
    const auto cell = import_classic("\r\n000001\t00000002\r\n\n \n000003\t00000004");
    ASSERT_TRUE(cell.ok()) << cell.error().message();
    EXPECT_THAT(find(*cell, "loops").values, ElementsAre(2, 4));
}

TEST(ImportClassic, RefusesAnythingElseNamingTheLine) {
    for (const char* line :
         {"average 246", "000002 00000003", "000002\t-3", "-2\t00000003", "000002\t3\t4",
          "000002\t", "\t00000003", " 000002\t00000003", "000002\t1.5", "000000\t00000003",
          "000002\t99999999999999999999", "\x1b[31m\t3"}) {
        const auto cell = import_classic(std::string("000001\t00000002\n\n") + line + "\n");
        ASSERT_FALSE(cell.ok()) << line;
        EXPECT_THAT(cell.error().message(), HasSubstr("line 3")) << line;
        EXPECT_EQ(cell.error().message().find('\x1b'), std::string::npos);
    }
}

TEST(ImportClassic, RefusesTwoRunsInOneFile) {
    const auto cell = import_classic("7\t2\n8\t3\n7\t4\n");
    ASSERT_FALSE(cell.ok());
    EXPECT_THAT(cell.error().message(), HasSubstr("line 3: pid 7 is in line 1 already"));
}

TEST(ImportClassic, NothingIsNoRun) {
    for (const char* text : {"", "\n\r\n"}) {
        EXPECT_FALSE(import_classic(text).ok());
    }
}

}  // namespace
}  // namespace bench::massive_intr
