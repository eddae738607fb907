#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

enum class Better { lower, higher, none };

/// "lower", "higher", "none", as in summary.csv.
[[nodiscard]] std::string_view better_text(Better better);
[[nodiscard]] std::optional<Better> parse_better(std::string_view text);

/// What a test, or a load, measures.
struct Metric {
    std::string name;  ///< snake_case, unique within a test
    std::string unit;  ///< "ns" (whole nanoseconds), "1" (count), "1/s", "ratio"
    Better better = Better::none;
    std::string description;  ///< one sentence, with how repetitions combine if not by their median
};

/// The values one cell gave for one metric. One value makes a plain figure, many make a
/// distribution. Whole numbers are exact up to 2^53 (104 days in nanoseconds).
struct Series {
    Metric metric;
    std::string subject;         ///< empty: the whole cell; else a user or client
    std::vector<double> values;  ///< in the metric's unit; empty: nothing was measured
    std::vector<std::uint32_t>
        clients;  ///< of each value, which client gave it; empty: does not apply
    std::vector<std::int64_t>
        at_ns;  ///< of each value, when, since the cell's start; empty: unknown
};

enum class Statistic { count, mean, stdev, min, p50, p90, p95, p99, p999, max };

/// A column of the table printed after a run. One without a metric and with the heading "kernel",
/// "scheduler" or "variant" has that part of a cell's name shown even where it does not vary.
struct TableColumn {
    std::string heading;
    std::string metric{};
    Statistic statistic = Statistic::mean;
    std::optional<int>
        decimals{};  ///< of a figure that is no duration; absent: what suits its unit
    /// Instead of a metric: words out of a row's variant and subject. A table with such a column
    /// has a line for each subject, beside whose figures those of the whole cell stand.
    std::function<std::string(const std::string& variant, const std::string& subject)> text{};
};

}  // namespace bench
