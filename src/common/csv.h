#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"

namespace bench {

/// One field of text as RFC 4180 wants it: quoted when it holds a comma, quote, CR or LF. Text that
/// a spreadsheet would take for a formula (first character = + - @, tab or CR), or that begins with
/// ', gets a ' in front; csv_text_from_field takes it away again, so every text survives. Numbers
/// do not come through here.
[[nodiscard]] std::string csv_text_field(std::string_view text);

/// Undoes the neutralising mark on a field that a CSV reader has unquoted.
[[nodiscard]] std::string csv_text_from_field(std::string_view field);

/// A number for a CSV cell, "." as decimal point in every locale: whole numbers plain, others with
/// the fewest digits that read back to the same double. NaN and infinities are programming errors
/// (asserted).
[[nodiscard]] std::string csv_number(double value);

/// Splits a whole file into records of unquoted fields; LF or CRLF. Errors name the line: a quote
/// left open, text after a closing quote, a record with another number of fields than the first.
[[nodiscard]] Result<std::vector<std::vector<std::string>>> parse_csv(std::string_view text);

/// A number from a CSV cell: "." as decimal point, the whole cell; "1,5", "nan", "inf" and "" are
/// Errors.
[[nodiscard]] Result<double> parse_csv_number(std::string_view field);

}  // namespace bench
