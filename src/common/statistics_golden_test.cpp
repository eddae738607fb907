#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/statistics.h"

/// The golden numbers were computed with exact fractions, numpy and R; every case that belongs to
/// the summary of one run is checked here.
namespace bench {
namespace {

using Json = nlohmann::json;

/// Compares as the file's own rule says: within abs or rel, null is "not available".
void expect_value(const std::optional<double>& got, const Json& expected, const Json& tolerance,
                  const std::string& what) {
    if (expected.is_null()) {
        EXPECT_EQ(got, std::nullopt) << what;
        return;
    }
    ASSERT_TRUE(got.has_value()) << what;
    const auto value = expected.get<double>();
    const double allowed =
        std::max(tolerance.value("abs", 0.0), tolerance.value("rel", 0.0) * std::abs(value));
    EXPECT_LE(std::abs(*got - value), allowed) << what << ": got " << *got << ", not " << value;
}

double one_decimal(double value) {
    return std::round(value * 10) / 10;
}

class Golden : public ::testing::Test {
  protected:
    void SetUp() override {
        std::ifstream file(BENCH_TEST_DATA_DIR "/statistics-golden.json");
        ASSERT_TRUE(file) << "the golden numbers are missing";
        const Json golden = Json::parse(file);
        for (const Json& one : golden.at("cases")) {
            all_[one["fn"].get<std::string>()].push_back(one);
        }
    }

    /// The cases of one function; there is at least one, or the test would prove nothing.
    const std::vector<Json>& cases(const std::string& function) {
        EXPECT_FALSE(all_[function].empty()) << function;
        return all_[function];
    }

    static std::vector<double> sorted(const Json& values) {
        auto numbers = values.get<std::vector<double>>();
        std::sort(numbers.begin(), numbers.end());
        return numbers;
    }

    std::map<std::string, std::vector<Json>> all_;
};

TEST_F(Golden, SummaryOfARun) {
    for (const Json& one : cases("summary")) {
        const std::string name = one["name"];
        const Json& expected = one["expected"];
        const Json& tolerance = one["tolerance"];
        const auto values = one["input"]["x"].get<std::vector<double>>();
        const std::vector<double> ascending = sorted(one["input"]["x"]);
        const auto check = [&](const char* field, const std::optional<double>& got) {
            expect_value(got, expected.at(field), tolerance, name + " " + field);
        };
        const Summary summary = summarise(values);
        EXPECT_EQ(summary.count, expected.at("n").get<std::uint64_t>()) << name;
        check("mean", summary.mean);
        check("min", summary.min);
        check("max", summary.max);
        check("sd_sample", summary.stdev);
        check("sd_population", population_stdev(values));
        check("cv_sample", sample_cv(values));
        check("cv_population", population_cv(values));
        check("jain", jain_index(values));
        check("median", quantile_type7(ascending, 500'000));
        for (const auto& [ppm, value] : expected.at("type7").items()) {
            expect_value(quantile_type7(ascending, static_cast<Ppm>(std::stoul(ppm))), value,
                         tolerance, std::string(name).append(" type7 ").append(ppm));
        }
        for (const auto& [ppm, value] : expected.at("nearest_rank").items()) {
            expect_value(quantile_nearest(ascending, static_cast<Ppm>(std::stoul(ppm))), value,
                         Json::object(), std::string(name).append(" nearest ").append(ppm));
        }
    }
}

TEST_F(Golden, NearestRank) {
    for (const Json& one : cases("nearest_rank_index")) {
        for (const Json& row : one["expected"]["rows"]) {
            EXPECT_EQ(nearest_rank(row["n"], row["ppm"]), row["nearest_rank"].get<std::uint64_t>())
                << row;
        }
    }
}

TEST_F(Golden, SamplesAQuantileNeeds) {
    for (const Json& one : cases("quantile_min_samples")) {
        for (const Json& row : one["expected"]["rows"]) {
            const Ppm ppm = row["ppm"];
            const std::uint64_t solid = row["n_solid"];
            EXPECT_EQ(quantile_min_samples(ppm), row["n_min"].get<std::uint64_t>()) << row;
            EXPECT_EQ(quantile_availability(solid, ppm), Availability::solid) << row;
            EXPECT_EQ(quantile_availability(solid - 1, ppm), Availability::weak) << row;
        }
    }
}

TEST_F(Golden, WhetherAQuantileIsShown) {
    const std::map<std::string, Availability> states = {{"n/a", Availability::not_available},
                                                        {"weak", Availability::weak},
                                                        {"ok", Availability::solid}};
    for (const Json& one : cases("quantile_or_na")) {
        const Json& asked = one["input"]["cases"];
        const Json& expected = one["expected"]["state"];
        ASSERT_EQ(asked.size(), expected.size());
        for (std::size_t i = 0; i < asked.size(); ++i) {
            EXPECT_EQ(quantile_availability(asked[i]["n"], asked[i]["ppm"]),
                      states.at(expected[i].get<std::string>()))
                << asked[i];
        }
    }
}

TEST_F(Golden, JainIndex) {
    for (const Json& one : cases("jain")) {
        const Json& sets = one["input"]["sets"];
        for (std::size_t i = 0; i < sets.size(); ++i) {
            const auto values = sets[i].get<std::vector<double>>();
            expect_value(jain_index(values), one["expected"]["jain"].at(i), one["tolerance"],
                         sets[i].dump());
        }
    }
}

TEST_F(Golden, PublishedDeviationsAreSampleDeviations) {
    std::map<std::string, std::vector<double>> runs;
    for (const Json& one : cases("summary")) {
        const std::string name = one["name"];
        for (const char* scheduler : {"cfs", "bfs", "edf"}) {
            if (name == "summary/massive_intr_" + std::string(scheduler) + "_2009") {
                runs[scheduler] = one["input"]["x"].get<std::vector<double>>();
            }
        }
    }
    for (const Json& one : cases("published_sd_check")) {
        for (const auto& [scheduler, published] : one["input"].items()) {
            ASSERT_TRUE(runs.contains(scheduler)) << scheduler;
            const Summary summary = summarise(runs[scheduler]);
            const Json& expected = one["expected"][scheduler];
            expect_value(one_decimal(*summary.stdev), expected["sample_1dp"], one["tolerance"],
                         scheduler);
            expect_value(one_decimal(*population_stdev(runs[scheduler])),
                         expected["population_1dp"], one["tolerance"], scheduler);
            EXPECT_EQ(one_decimal(*summary.stdev), published["sd"].get<double>()) << scheduler;
            EXPECT_EQ(std::round(*summary.mean), published["mean"].get<double>()) << scheduler;
            EXPECT_EQ(summary.min, published["min"].get<double>()) << scheduler;
            EXPECT_EQ(summary.max, published["max"].get<double>()) << scheduler;
        }
    }
}

}  // namespace
}  // namespace bench
