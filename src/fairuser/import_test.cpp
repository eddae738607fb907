#include "fairuser/import.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

namespace bench::fairuser {
namespace {

using ::testing::HasSubstr;

std::optional<double> value(const ImportedCell& cell, std::string_view metric,
                            std::string_view subject = {}) {
    for (const Series& series : cell.outcome.series) {
        if (series.metric.name == metric && series.subject == subject) {
            return series.values.empty() ? std::nullopt : std::optional(series.values.front());
        }
    }
    ADD_FAILURE() << "no series " << metric;
    return std::nullopt;
}

std::string read(const std::string& path) {
    std::ifstream file(path);
    EXPECT_TRUE(file) << path;
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// The runs of 2007, by the golden case that tells what follows from each.
struct Row {
    const char* file;
    const char* golden;
};
class PublishedRun : public ::testing::TestWithParam<Row> {};

TEST_P(PublishedRun, GivesTheGoldenFigures) {
    const std::string folder = BENCH_TEST_DATA_DIR;
    const auto cell = import_classic(read(folder + "/" + GetParam().file));
    ASSERT_TRUE(cell) << cell.error().message();
    const Json golden = Json::parse(read(folder + "/statistics-golden.json"));
    const Json* expected = nullptr;
    for (const Json& one : golden.at("cases")) {
        if (one.at("name") == GetParam().golden) {
            expected = &one.at("expected");
        }
    }
    ASSERT_NE(expected, nullptr);
    const auto close = [&](const char* key, std::optional<double> got) {
        ASSERT_TRUE(got) << key;
        EXPECT_NEAR(*got, expected->at(key).get<double>(), 1e-12) << key;
    };
    close("share_user1", value(*cell, "cpu_share", "vatsa"));
    close("share_user2", value(*cell, "cpu_share", "guest"));
    close("misallocated_cpu_fraction", value(*cell, "misallocated"));
    close("jain_between", value(*cell, "jain"));
    close("efficiency", value(*cell, "efficiency"));
    close("fairness_number", value(*cell, "fairness"));
}

INSTANTIATE_TEST_SUITE_P(
    Of2007, PublishedRun,
    ::testing::Values(Row{"fairuser-2007-first-vanilla.txt", "fairness/2007_first_vanilla"},
                      Row{"fairuser-2007-first-patched.txt", "fairness/2007_first_patched_1s"},
                      Row{"fairuser-2007-later-vanilla.txt", "fairness/2007_later_vanilla"},
                      Row{"fairuser-2007-later-patched.txt", "fairness/2007_later_patched_10s"},
                      Row{"fairuser-2007-niced-vanilla.txt", "fairness/2007_niced_vanilla"}));

TEST(Import, ReadsRatesAsSharesOfTheWork) {
    const auto cell = import_classic(
        "vatsa\tchat\t10085 msg/s\r\nguest\tchat\t10089 msg/s\nreference\t20247 msg/s\n");
    ASSERT_TRUE(cell) << cell.error().message();
    EXPECT_NEAR(*value(*cell, "jain"), 0.999999960687023, 1e-12);
    EXPECT_NEAR(*value(*cell, "fairness"), 20174.0 / 20247 * 0.999999960687023, 1e-12);
    EXPECT_EQ(value(*cell, "work_rate", "vatsa"), 10085);
}

TEST(Import, WithoutAReferenceTheNumberIsNotMeasured) {
    const auto cell = import_classic("# 2007\n\na  make -j4  100 s\nb  make -j20  80.5 s\n");
    ASSERT_TRUE(cell) << cell.error().message();
    EXPECT_TRUE(value(*cell, "jain"));
    EXPECT_FALSE(value(*cell, "efficiency"));
    EXPECT_FALSE(value(*cell, "fairness"));
    EXPECT_EQ(value(*cell, "finish_time", "b"), 80.5e9);
    EXPECT_EQ(cell->variant[0], std::pair(std::string("user_a"), std::string("make -j4")));
    EXPECT_THAT(cell->outcome.notes.front(), HasSubstr("no reference"));
}

TEST(Import, RefusesWhatItCannotDeriveFrom) {
    const std::pair<const char*, const char*> cases[] = {
        {"", "0 users"},
        {"a  x  1 s\n", "1 users"},
        {"a  x  1 s\nb  x  1 s\nc  x  1 s\n", "3 users"},
        {"a  x  1 s\na  x  1 s\n", "both users are called a"},
        {"a  x  1 s\nb  x  2.5 s\n", "more than twice"},
        {"a  x  1 s\nb  x  1 msg/s\n", "mixed"},
        {"a  x  1 s\nb  x  1\n", "line 2"},
        {"a  x  0 s\nb  x  1 s\n", "line 1"},
        {"a  x  inf s\nb  x  1 s\n", "line 1"},
        {"a x 1 s\n", "line 1"},
        {"reference  1 s\nreference  1 s\n", "line 2"},
    };
    for (const auto& [text, reason] : cases) {
        const auto cell = import_classic(text);
        ASSERT_FALSE(cell) << text;
        EXPECT_THAT(cell.error().message(), HasSubstr(reason));
    }
}

}  // namespace
}  // namespace bench::fairuser
