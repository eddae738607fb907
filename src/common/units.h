#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"

namespace bench {

/// Every duration inside the tool; 64 bits of nanoseconds last 292 years.
using Duration = std::chrono::nanoseconds;

/// An amount of memory or data.
struct ByteSize {
    std::uint64_t bytes = 0;
    auto operator<=>(const ByteSize&) const = default;
};

/// Reads "30s", "1.5ms", "100us" (also "µs"), "250ns", "10m" or "10min", "2h"; decimals are exact,
/// and what is finer than a nanosecond is refused. A bare number is refused, naming the units, but
/// for 0. Errors (code 0): no unit, unknown unit, negative, not a number, beyond 292 years.
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);

/// A plain spelling that parse_duration reads back to the same value: "1.5ms", "100ms", "30s",
/// "0s".
[[nodiscard]] std::string format_duration(Duration duration);

/// For people: at most four significant digits and a unit that fits: "14.51 ms", "830 ns". Negative
/// is kept.
[[nodiscard]] std::string format_duration_human(Duration duration);

/// Reads "64KiB", "1MiB", "2GiB", "512B", "64kB" (powers of 1000: kB MB GB). A bare number is
/// refused, naming the units, but for 0. Fractions must come out as whole bytes.
[[nodiscard]] Result<ByteSize> parse_size(std::string_view text);

/// A plain spelling that parse_size reads back to the same value: "64KiB", "1000B", "0B".
[[nodiscard]] std::string format_size(ByteSize size);

/// Reads a whole decimal number and nothing else: no sign, blank, fraction, exponent or trailing
/// text. Range [min, max]; the error's detail names what is allowed.
[[nodiscard]] Result<std::int64_t> parse_integer(std::string_view text, std::int64_t min,
                                                 std::int64_t max);

/// Reads "8", "1,2,4", "1..25", "1..25:4" and mixtures ("1..4,8"), in the order written, without
/// duplicates. Each value lies in [min, max]; a range runs upwards and its step is at least 1. At
/// most 100,000 values.
[[nodiscard]] Result<std::vector<std::int64_t>> parse_integer_list(std::string_view text,
                                                                   std::int64_t min,
                                                                   std::int64_t max);

}  // namespace bench
