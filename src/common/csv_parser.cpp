#include <fmt/format.h>

#include "common/csv.h"

namespace bench {

namespace {

/// Takes a file apart field by field; `line_` counts line feeds, also those within quotes.
class CsvParser {
  public:
    explicit CsvParser(std::string_view text) : text_(text) {
        constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
        if (text_.starts_with(kByteOrderMark)) {
            text_.remove_prefix(kByteOrderMark.size());
        }
    }

    Result<std::vector<CsvRecord>> parse() {
        std::vector<CsvRecord> records;
        while (at_ < text_.size()) {
            CsvRecord record{.line = line_, .fields = {}};
            Status read = read_record(record.fields);
            if (!read) {
                return read.error();
            }
            if (!records.empty() && record.fields.size() != records.front().fields.size()) {
                return error(record.line,
                             fmt::format("{} fields where the first line has {}",
                                         record.fields.size(), records.front().fields.size()));
            }
            records.push_back(std::move(record));
        }
        return records;
    }

  private:
    static Error error(std::size_t line, std::string detail) {
        return plain_error("read CSV", fmt::format("line {}", line), std::move(detail));
    }

    Status read_record(std::vector<std::string>& fields) {
        while (true) {
            std::string field;
            const bool quoted = at_ < text_.size() && text_[at_] == '"';
            Status read = quoted ? read_quoted(field) : read_plain(field);
            if (!read) {
                return read;
            }
            fields.push_back(std::move(field));
            if (at_ < text_.size() && text_[at_] == ',') {
                ++at_;
                continue;
            }
            return end_record(quoted);
        }
    }

    Status read_plain(std::string& field) {
        const std::size_t end = std::min(text_.find_first_of(",\"\r\n", at_), text_.size());
        if (end < text_.size() && text_[end] == '"') {
            return error(line_, "a quote within a field that does not begin with one");
        }
        field = text_.substr(at_, end - at_);
        at_ = end;
        return {};
    }

    Status read_quoted(std::string& field) {
        const std::size_t first_line = line_;
        for (++at_; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            if (c == '"') {
                if (at_ + 1 == text_.size() || text_[at_ + 1] != '"') {
                    ++at_;
                    return {};
                }
                ++at_;
            } else if (c == '\n') {
                ++line_;
            }
            field += c;
        }
        return error(first_line, "a quote is left open");
    }

    Status end_record(bool quoted) {
        if (at_ == text_.size()) {
            return {};
        }
        if (text_.substr(at_).starts_with("\r\n")) {
            ++at_;
        }
        if (text_[at_] != '\n') {
            return error(line_, text_[at_] == '\r' ? "a carriage return without a line feed"
                                : quoted           ? "text after a closing quote"
                                                   : "a field is damaged");
        }
        ++at_;
        ++line_;
        return {};
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
};

}  // namespace

Result<std::vector<CsvRecord>> parse_csv(std::string_view text) {
    return CsvParser(text).parse();
}

}  // namespace bench
