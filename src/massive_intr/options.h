#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/units.h"

namespace bench::massive_intr {

/// The classic's defaults.
struct Options {
    Duration work = std::chrono::milliseconds(8);
    Duration sleep = std::chrono::milliseconds(1);
    std::optional<std::int64_t> loops_per_ms;  ///< absent: calibrated

    bool operator==(const Options&) const = default;
};

/// Shorter work or sleep would measure the clock; longer ones are mistakes.
inline constexpr Duration shortest_part = std::chrono::microseconds(1);
inline constexpr Duration longest_part = std::chrono::hours(1);
/// Far beyond any CPU: a loop takes one cycle at least.
inline constexpr std::int64_t max_loops_per_ms = 1'000'000'000;

/// Binds the command line to `options`, which must outlive the parsing.
void add_options(CLI::App& app, Options& options);

/// What differs from the defaults, for the variant column.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> variant(const Options& options);

/// Loops of one piece of work, rounded to whole ones, at least 1.
[[nodiscard]] std::uint64_t work_loops(std::int64_t loops_per_ms, Duration work);

}  // namespace bench::massive_intr
