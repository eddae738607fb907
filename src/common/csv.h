#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"

namespace bench {

/// The text with bytes that are not UTF-8 replaced as json_text() does it, so that a name is
/// spelled alike in every file.
[[nodiscard]] std::string valid_utf8(std::string_view text);

/// One field of text as RFC 4180 wants it: quoted when it holds a comma, quote, CR or LF. Text that
/// a spreadsheet would take for a formula (first character = + - @, tab or CR), or that begins with
/// ', gets a ' in front; csv_text_from_field takes it away again, so every text survives. Only
/// bytes that are not UTF-8 become U+FFFD, as in run.json. Numbers do not come through here.
[[nodiscard]] std::string csv_text_field(std::string_view text);

/// Undoes the neutralising mark on a field that a CSV reader has unquoted.
[[nodiscard]] std::string csv_text_from_field(std::string_view field);

/// A number for a CSV cell, "." as decimal point in every locale: whole numbers plain, others with
/// the fewest digits that read back to the same double. NaN and infinities are programming errors
/// (asserted); without assertions they are written as "", not measured.
[[nodiscard]] std::string csv_number(double value);

/// Writes csv_number's digits to `out`, which has room for kCsvNumberSize; returns their end.
inline constexpr std::size_t kCsvNumberSize = 32;
[[nodiscard]] char* write_csv_number(char* out, double value);

/// One record of unquoted fields and the line of the file it begins on, from 1.
struct CsvRecord {
    std::size_t line = 0;
    std::vector<std::string> fields;
};

/// Splits a whole file into records; LF or CRLF, a byte order mark is skipped. Errors name the
/// line: a quote left open or within plain text, text after a closing quote, a lone CR, a record
/// with another number of fields than the first.
[[nodiscard]] Result<std::vector<CsvRecord>> parse_csv(std::string_view text);

/// A number from a CSV cell: "." as decimal point, the whole cell; "1,5", "nan", "inf" and "" are
/// Errors.
[[nodiscard]] Result<double> parse_csv_number(std::string_view field);

}  // namespace bench
