#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "common/bundle.h"
#include "common/csv.h"

namespace bench {

namespace {

constexpr std::string_view kHeader =
    "test,kernel,scheduler,variant,clients,repetition,boot,pair,order,seed,subject,metric,unit,"
    "better,status,count,mean,stdev,min,p50,p90,p95,p99,p999,max";

/// The figures in the order of the columns after count.
constexpr std::array kFigures = {&Summary::mean, &Summary::stdev, &Summary::min,
                                 &Summary::p50,  &Summary::p90,   &Summary::p95,
                                 &Summary::p99,  &Summary::p999,  &Summary::max};

constexpr std::array kStatuses = {RowStatus::ok, RowStatus::not_run, RowStatus::failed,
                                  RowStatus::tainted};

/// Appends fields with the comma before each but the first.
class RowText {
  public:
    void text(std::string_view value) { field(csv_text_field(value)); }
    template <class Integer>
    void integer(const std::optional<Integer>& value) {
        field(value ? std::to_string(*value) : std::string());
    }
    void number(const std::optional<double>& value, bool whole) {
        field(value ? csv_number(whole ? std::round(*value) : *value) : std::string());
    }
    std::string take() { return std::move(row_); }

  private:
    void field(const std::string& value) {
        if (begun_) {
            row_ += ',';
        }
        begun_ = true;
        row_ += value;
    }

    std::string row_;
    bool begun_ = false;
};

/// Takes the fields of a record one by one and keeps the first Error.
class RowReader {
  public:
    RowReader(const CsvRecord& record, const std::vector<std::string>& columns)
        : record_(record), columns_(columns) {}

    std::string text() { return csv_text_from_field(next()); }

    template <class Integer>
    std::optional<Integer> integer() {
        const std::string& field = next();
        if (field.empty()) {
            return std::nullopt;
        }
        Integer value = 0;
        const char* const end = field.data() + field.size();
        const auto [ptr, code] = std::from_chars(field.data(), end, value);
        if (code != std::errc() || ptr != end) {
            fail(fmt::format("'{}' is not a whole number in range", field));
        }
        return value;
    }

    std::optional<double> number() {
        const std::string& field = next();
        if (field.empty()) {
            return std::nullopt;
        }
        Result<double> value = parse_csv_number(field);
        if (!value) {
            fail(fmt::format("{} is {}", value.error().object, value.error().detail));
        }
        return value.optional();
    }

    template <class Value>
    Value word(std::optional<Value> (*parse)(std::string_view), std::string_view allowed) {
        const std::string& field = next();
        const std::optional<Value> value = parse(field);
        if (!value) {
            fail(fmt::format("'{}' is not one of {}", field, allowed));
        }
        return value.value_or(Value{});
    }

    void fail(std::string detail) {
        if (!error_) {
            error_ = plain_error("read summary", fmt::format("line {}", record_.line),
                                 fmt::format("{}: {}", columns_[at_ - 1], detail));
        }
    }
    [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  private:
    const std::string& next() { return record_.fields[at_++]; }

    const CsvRecord& record_;
    const std::vector<std::string>& columns_;
    std::size_t at_ = 0;
    std::optional<Error> error_;
};

std::optional<Summary> read_figures(RowReader& reader) {
    const auto count = reader.integer<std::uint64_t>();
    Summary figures;
    bool any = false;
    for (const auto figure : kFigures) {
        figures.*figure = reader.number();
        any = any || figures.*figure;
    }
    if (!count) {
        if (any) {
            reader.fail("figures without a count");
        }
        return std::nullopt;
    }
    figures.count = *count;
    return figures;
}

Result<SummaryRow> read_row(const CsvRecord& record, const std::vector<std::string>& columns) {
    RowReader reader(record, columns);
    SummaryRow row;
    row.key.test = reader.text();
    row.key.kernel = reader.text();
    row.key.scheduler = reader.text();
    row.key.variant = reader.text();
    row.key.clients = reader.integer<std::int64_t>();
    row.key.repetition = reader.integer<std::int64_t>();
    row.key.boot = reader.integer<std::int64_t>();
    row.key.pair = reader.integer<std::int64_t>();
    row.key.order = reader.integer<std::int64_t>();
    row.key.seed = reader.integer<std::uint64_t>();
    row.subject = reader.text();
    row.metric.name = reader.text();
    row.metric.unit = reader.text();
    row.metric.better = reader.word(parse_better, "lower, higher, none");
    row.status = reader.word(parse_status, "ok, not-run, failed, tainted");
    row.figures = read_figures(reader);
    if (reader.error()) {
        return *reader.error();
    }
    return row;
}

}  // namespace

std::string_view status_text(RowStatus status) {
    switch (status) {
        case RowStatus::ok:
            return "ok";
        case RowStatus::not_run:
            return "not-run";
        case RowStatus::failed:
            return "failed";
        case RowStatus::tainted:
            break;
    }
    return "tainted";
}

std::optional<RowStatus> parse_status(std::string_view text) {
    for (const RowStatus status : kStatuses) {
        if (text == status_text(status)) {
            return status;
        }
    }
    return std::nullopt;
}

std::string_view summary_header() {
    return kHeader;
}

std::string format_summary_row(const SummaryRow& row) {
    RowText out;
    for (const auto* text :
         {&row.key.test, &row.key.kernel, &row.key.scheduler, &row.key.variant}) {
        out.text(*text);
    }
    for (const auto* number :
         {&row.key.clients, &row.key.repetition, &row.key.boot, &row.key.pair, &row.key.order}) {
        out.integer(*number);
    }
    out.integer(row.key.seed);
    out.text(row.subject);
    out.text(row.metric.name);
    out.text(row.metric.unit);
    out.text(better_text(row.metric.better));
    out.text(status_text(row.status));
    const Summary figures = row.figures.value_or(Summary{});
    out.integer(row.figures ? std::optional(figures.count) : std::nullopt);
    for (const auto figure : kFigures) {
        out.number(figures.*figure, row.metric.unit == "ns");
    }
    return out.take();
}

Result<std::vector<SummaryRow>> parse_summary(std::string_view text) {
    Result<std::vector<CsvRecord>> header = parse_csv(std::string(kHeader));
    Result<std::vector<CsvRecord>> records = parse_csv(text);
    if (!records) {
        return records.error();
    }
    const std::vector<std::string>& columns = header->front().fields;
    if (records->empty() || records->front().fields != columns) {
        return plain_error("read summary", "line 1",
                           fmt::format("the header is not '{}'", kHeader));
    }
    std::vector<SummaryRow> rows;
    for (auto record = records->begin() + 1; record != records->end(); ++record) {
        Result<SummaryRow> row = read_row(*record, columns);
        if (!row) {
            return row.error();
        }
        rows.push_back(std::move(*row));
    }
    return rows;
}

}  // namespace bench
