#include "common/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>
#include <span>

namespace bench {
namespace {

struct Unit {
    std::string_view name;
    std::uint64_t scale;  // in base units: nanoseconds or bytes
};

constexpr std::array<Unit, 10> kDurationUnits = {{{"ns", 1},
                                                  {"us", 1'000},
                                                  {"\u00b5s", 1'000},  // micro sign
                                                  {"\u03bcs", 1'000},  // Greek mu
                                                  {"ms", 1'000'000},
                                                  {"s", 1'000'000'000},
                                                  {"sec", 1'000'000'000},
                                                  {"m", 60'000'000'000},
                                                  {"min", 60'000'000'000},
                                                  {"h", 3'600'000'000'000}}};

constexpr std::array<Unit, 9> kSizeUnits = {{{"B", 1},
                                             {"kB", 1'000},
                                             {"KB", 1'000},
                                             {"MB", 1'000'000},
                                             {"GB", 1'000'000'000},
                                             {"KiB", 1U << 10U},
                                             {"MiB", 1U << 20U},
                                             {"GiB", 1U << 30U},
                                             {"TiB", 1ULL << 40U}}};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

Error refusal(std::string_view text, std::string_view why) {
    return plain_error("", "", fmt::format("'{}' {}", text, why));
}

/// `digits` after the decimal point, in units of `scale`; nullopt when that is no whole number.
std::optional<std::uint64_t> exact_fraction(std::string_view digits, std::uint64_t scale) {
    while (!digits.empty() && digits.back() == '0') {
        digits.remove_suffix(1);
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        const std::uint64_t product = scale * static_cast<std::uint64_t>(digits[i] - '0');
        const bool last = i + 1 == digits.size();
        if (product % 10 != 0 || (scale % 10 != 0 && !last)) {
            return std::nullopt;
        }
        value += product / 10;
        scale /= 10;
    }
    return value;
}

struct Wording {
    std::string_view what;      // "a duration"
    std::string_view examples;  // units to write behind a bare number, as a format
    std::string_view smallest;  // "nanosecond"
};

Result<std::uint64_t> parse_with_unit(std::string_view text, std::span<const Unit> units,
                                      const Wording& wording, std::uint64_t max) {
    const std::string not_one = fmt::format("is not {} such as {}", wording.what, wording.examples);
    std::size_t at = 0;
    while (at < text.size() && is_digit(text[at])) {
        ++at;
    }
    if (at == 0) {
        return refusal(text, text.starts_with('-') ? "is negative" : not_one);
    }
    const std::string_view whole = text.substr(0, at);
    std::string_view fraction;
    if (at < text.size() && text[at] == '.') {
        const std::size_t begin = ++at;
        while (at < text.size() && is_digit(text[at])) {
            ++at;
        }
        fraction = text.substr(begin, at - begin);
        if (fraction.empty()) {
            return refusal(text, not_one);
        }
    }
    const std::string_view unit_name = text.substr(at);
    if (unit_name.empty()) {
        const auto zero = [](char c) { return c == '0'; };
        if (std::all_of(whole.begin(), whole.end(), zero) &&
            std::all_of(fraction.begin(), fraction.end(), zero)) {
            return std::uint64_t{0};  // nothing is nothing in every unit
        }
        return refusal(text, fmt::format("has no unit: write it as in {}", wording.examples));
    }
    const auto* unit =
        std::find_if(units.data(), units.data() + units.size(),
                     [&](const Unit& candidate) { return candidate.name == unit_name; });
    if (unit == units.data() + units.size()) {
        return refusal(text, fmt::format("has an unknown unit '{}': write it as in {}", unit_name,
                                         wording.examples));
    }
    std::uint64_t count = 0;
    const auto read = std::from_chars(whole.data(), whole.data() + whole.size(), count);
    std::uint64_t value = 0;
    const auto part = exact_fraction(fraction, unit->scale);
    if (!part) {
        return refusal(text, fmt::format("is finer than a {}", wording.smallest));
    }
    if (read.ec != std::errc() || __builtin_mul_overflow(count, unit->scale, &value) ||
        __builtin_add_overflow(value, *part, &value) || value > max) {
        return refusal(text, "is too large");
    }
    return value;
}

/// `value` in units of `scale` as a plain decimal, exactly.
std::string exact_decimal(std::uint64_t value, std::uint64_t scale) {
    std::string text = fmt::format("{}", value / scale);
    std::uint64_t rest = value % scale;
    if (rest == 0) {
        return text;
    }
    text += '.';
    for (std::uint64_t digit = scale; rest != 0 && digit > 1;) {
        digit /= 10;
        text += static_cast<char>('0' + rest / digit);
        rest %= digit;
    }
    return text;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
    constexpr Wording kWording = {"a duration", "250ns, 100us, 1.5ms, 30s, 10m or 2h",
                                  "nanosecond"};
    auto value = parse_with_unit(text, kDurationUnits, kWording,
                                 static_cast<std::uint64_t>(Duration::max().count()));
    if (!value) {
        return value.error();
    }
    return Duration(static_cast<Duration::rep>(*value));
}

std::string format_duration(Duration duration) {
    if (duration.count() == 0) {
        return "0s";
    }
    const bool negative = duration.count() < 0;
    const auto ns = negative ? 0 - static_cast<std::uint64_t>(duration.count())
                             : static_cast<std::uint64_t>(duration.count());
    std::string spelled;
    for (const Unit& unit :
         {kDurationUnits[5], kDurationUnits[4], kDurationUnits[1], kDurationUnits[0]}) {
        // The largest unit that leaves at least 1 and at most three decimals.
        if (ns >= unit.scale && (unit.scale == 1 || ns % (unit.scale / 1000) == 0)) {
            spelled = exact_decimal(ns, unit.scale) + std::string(unit.name);
            break;
        }
    }
    return (negative ? "-" : "") + spelled;
}

std::string format_duration_human(Duration duration) {
    const auto ns = static_cast<double>(duration.count());
    const double size = ns < 0 ? -ns : ns;
    struct Step {
        double scale;
        const char* unit;
    };
    // 999.95 of one unit would round to 1000: the next unit takes over there.
    for (const Step& step : {Step{1.0, "ns"}, Step{1e3, "us"}, Step{1e6, "ms"}}) {
        if (size < step.scale * 999.95) {
            const double value = ns / step.scale;
            if (step.scale == 1.0) {
                return fmt::format("{} ns", duration.count());
            }
            const double magnitude = size / step.scale;
            const int decimals = magnitude < 9.9995 ? 3 : magnitude < 99.995 ? 2 : 1;
            return fmt::format("{:.{}f} {}", value, decimals, step.unit);
        }
    }
    const double seconds = ns / 1e9;
    const double magnitude = size / 1e9;
    const int decimals = magnitude < 9.9995   ? 3
                         : magnitude < 99.995 ? 2
                         : magnitude < 999.95 ? 1
                                              : 0;
    return fmt::format("{:.{}f} s", seconds, decimals);
}

Result<ByteSize> parse_size(std::string_view text) {
    constexpr Wording kWording = {"a size", "512B, 64KiB, 1MiB or 64kB", "byte"};
    auto value =
        parse_with_unit(text, kSizeUnits, kWording, std::numeric_limits<std::uint64_t>::max());
    if (!value) {
        return value.error();
    }
    return ByteSize{*value};
}

std::string format_size(ByteSize size) {
    for (const Unit& unit : {kSizeUnits[8], kSizeUnits[7], kSizeUnits[6], kSizeUnits[5]}) {
        if (size.bytes != 0 && size.bytes % unit.scale == 0) {
            return fmt::format("{}{}", size.bytes / unit.scale, unit.name);
        }
    }
    return fmt::format("{}B", size.bytes);
}

Result<std::int64_t> parse_integer(std::string_view text, std::int64_t min, std::int64_t max) {
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool digits_only =
        !text.empty() &&
        std::all_of(text.begin() + (text[0] == '-' && min < 0 ? 1 : 0), text.end(), is_digit);
    if (!digits_only || read.ec != std::errc() || read.ptr != text.data() + text.size() ||
        value < min || value > max) {
        return refusal(text, fmt::format("is not a whole number from {} to {}", min, max));
    }
    return value;
}

namespace {

struct IntegerRange {
    std::int64_t first, last, step;
};

/// "8", "1..25" or "1..25:4".
Result<IntegerRange> parse_range(std::string_view item, std::int64_t min, std::int64_t max) {
    const auto dots = item.find("..");
    if (dots == std::string_view::npos) {
        auto value = parse_integer(item, min, max);
        if (!value) {
            return value.error();
        }
        return IntegerRange{*value, *value, 1};
    }
    std::string_view tail = item.substr(dots + 2);
    std::int64_t step = 1;
    if (const auto colon = tail.find(':'); colon != std::string_view::npos) {
        auto read =
            parse_integer(tail.substr(colon + 1), 1, std::numeric_limits<std::int64_t>::max());
        if (!read) {
            return refusal(item, "has a step that is not a whole number of at least 1");
        }
        step = *read;
        tail = tail.substr(0, colon);
    }
    const auto first = parse_integer(item.substr(0, dots), min, max);
    const auto last = parse_integer(tail, min, max);
    if (!first || !last) {
        return refusal(item, fmt::format("is not a range such as 1..25 or 1..25:4 of whole numbers "
                                         "from {} to {}",
                                         min, max));
    }
    if (*first > *last) {
        return refusal(item, "runs downwards: write the smaller number first");
    }
    return IntegerRange{*first, *last, step};
}

}  // namespace

Result<std::vector<std::int64_t>> parse_integer_list(std::string_view text, std::int64_t min,
                                                     std::int64_t max) {
    constexpr std::size_t kMost = 100'000;
    std::vector<std::int64_t> values;
    std::set<std::int64_t> seen;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        const std::string_view item = text.substr(at, comma - at);
        auto range = parse_range(item, min, max);
        if (!range) {
            return item == text
                       ? range.error()
                       : plain_error("", "", fmt::format("'{}': {}", text, range.error().detail));
        }
        at = comma + 1;
        for (std::int64_t value = range->first;;) {
            if (seen.insert(value).second) {
                if (values.size() == kMost) {
                    return refusal(text, fmt::format("has more than {} values", kMost));
                }
                values.push_back(value);
            }
            if (range->last - value < range->step) {
                break;
            }
            value += range->step;
        }
    }
    return values;
}

}  // namespace bench
