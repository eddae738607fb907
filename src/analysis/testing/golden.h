#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench::analysis::testing {

using Json = nlohmann::json;

/// "5/63" as a number.
inline double fraction(const std::string& text) {
    const auto slash = text.find('/');
    return slash == std::string::npos
               ? std::stod(text)
               : std::stod(text.substr(0, slash)) / std::stod(text.substr(slash + 1));
}

/// One golden case. Whatever it expects must be looked at, or the test fails: a figure that nobody
/// compares proves nothing.
class GoldenCase {
  public:
    explicit GoldenCase(Json json) : json_(std::move(json)) {}
    GoldenCase(const GoldenCase&) = delete;
    GoldenCase& operator=(const GoldenCase&) = delete;
    ~GoldenCase() {
        for (const auto& [field, value] : json_["expected"].items()) {
            EXPECT_TRUE(seen_.contains(field)) << name() << ": nobody looked at " << field;
        }
    }

    [[nodiscard]] std::string name() const { return json_["name"]; }
    [[nodiscard]] const Json& input() const { return json_["input"]; }
    [[nodiscard]] std::vector<double> numbers(const char* field) const {
        return json_["input"].at(field).get<std::vector<double>>();
    }

    [[nodiscard]] bool expects(const std::string& field) const {
        return json_["expected"].contains(field);
    }
    const Json& expected(const std::string& field) {
        seen_.insert(field);
        return json_["expected"].at(field);
    }
    /// A figure that belongs to a method this tool does not have, kept for comparison.
    void leave(const std::string& field) { seen_.insert(field); }

    void check(const std::string& field, std::optional<double> got) {
        check_value(field, expected(field), got);
    }
    void check_fraction(const std::string& field, double got) {
        check_value(field, fraction(expected(field)), got);
    }
    void check_pair(const std::string& field, std::optional<double> low,
                    std::optional<double> high) {
        check_value(field + " low", expected(field).at(0), low);
        check_value(field + " high", expected(field).at(1), high);
    }
    void check_list(const std::string& field, const std::vector<double>& got) {
        ASSERT_EQ(got.size(), expected(field).size()) << name() << " " << field;
        for (std::size_t i = 0; i < got.size(); ++i) {
            check_value(field + " " + std::to_string(i), expected(field).at(i), got[i]);
        }
    }
    /// Within abs or rel of the case, as the file's own rule says; null is "not available".
    void check_value(const std::string& what, const Json& want, std::optional<double> got) const {
        if (want.is_null() || !got) {
            EXPECT_TRUE(want.is_null() && !got)
                << name() << " " << what << ": " << (got ? "a value" : "none") << ", not "
                << want.dump();
            return;
        }
        const Json& tolerance = json_["tolerance"];
        const auto value = want.get<double>();
        double allowed = 0;
        for (const auto& [kind, size] : tolerance.items()) {
            if (size.is_number()) {
                const bool relative = kind.ends_with("rel");
                allowed = std::max(allowed, size.get<double>() * (relative ? std::abs(value) : 1));
            }
        }
        EXPECT_LE(std::abs(*got - value), allowed)
            << name() << " " << what << ": got " << *got << ", not " << value;
    }

  private:
    Json json_;
    std::set<std::string> seen_;
};

/// The cases of the golden file by the function they belong to.
inline std::map<std::string, std::vector<Json>> read_golden(const std::string& folder) {
    std::ifstream file(folder + "/statistics-golden.json");
    if (!file) {
        throw std::runtime_error("the golden numbers are missing");
    }
    std::map<std::string, std::vector<Json>> cases;
    const Json golden = Json::parse(file);
    for (const Json& one : golden.at("cases")) {
        cases[one["fn"].get<std::string>()].push_back(one);
    }
    return cases;
}

}  // namespace bench::analysis::testing
