#include "common/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace bench {

namespace {

bool needs_mark(std::string_view text) {
    return !text.empty() && std::string_view("=+-@\t\r'").find(text[0]) != std::string_view::npos;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
    const bool ascii = std::all_of(text.begin(), text.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (ascii) {
        return std::string(text);
    }
    using nlohmann::json;
    return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace))
        .get<std::string>();
}

std::string csv_text_field(std::string_view text) {
    std::string field(needs_mark(text) ? 1 : 0, '\'');
    field += valid_utf8(text);
    if (field.find_first_of(",\"\r\n") == std::string::npos) {
        return field;
    }
    std::string quoted = "\"";
    for (const char c : field) {
        quoted += c;
        if (c == '"') {
            quoted += c;
        }
    }
    quoted += '"';
    return quoted;
}

std::string csv_text_from_field(std::string_view field) {
    if (field.size() >= 2 && field[0] == '\'' && needs_mark(field.substr(1))) {
        field.remove_prefix(1);
    }
    return std::string(field);
}

char* write_csv_number(char* out, double value) {
    assert(std::isfinite(value));
    if (!std::isfinite(value)) {
        return out;
    }
    // Beyond 2^63 the shortest form has an exponent; below it a whole number shall not.
    constexpr double kLimit = 9.2e18;
    if (std::abs(value) < kLimit) {
        const auto whole = static_cast<std::int64_t>(value);
        if (static_cast<double>(whole) == value) {
            return std::to_chars(out, out + kCsvNumberSize, whole).ptr;
        }
    }
    return std::to_chars(out, out + kCsvNumberSize, value).ptr;
}

std::string csv_number(double value) {
    std::array<char, kCsvNumberSize> digits{};
    return std::string(digits.data(), write_csv_number(digits.data(), value));
}

Result<double> parse_csv_number(std::string_view field) {
    double value = 0;
    const char* const end = field.data() + field.size();
    const auto [ptr, code] = std::from_chars(field.data(), end, value);
    if (code == std::errc::result_out_of_range) {
        return plain_error("read number", fmt::format("'{}'", field), "beyond a double's range");
    }
    if (code != std::errc() || ptr != end || !std::isfinite(value)) {
        return plain_error("read number", fmt::format("'{}'", field),
                           "not a number with '.' as decimal point");
    }
    return value;
}

}  // namespace bench
