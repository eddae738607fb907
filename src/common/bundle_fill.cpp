#include <fmt/format.h>

#include <algorithm>

#include "common/bundle.h"
#include "common/bundle_schema.h"
#include "common/samples.h"

namespace bench {
namespace {

Error no_place(const LateFigures& late, const Series& series, std::string why) {
    return plain_error("fill in", fmt::format("{} of order {}", series.metric.name, late.order),
                       std::move(why));
}

Status fill_row(std::vector<SummaryRow>& rows, const LateFigures& late, const Series& series) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const SummaryRow& one) {
        return one.key.order == late.order && one.metric.name == series.metric.name &&
               one.subject == series.subject;
    });
    if (row == rows.end()) {
        return no_place(late, series, "there is no such row");
    }
    if (row->figures && row->figures->count > 0) {
        return no_place(late, series, "its row has figures");
    }
    row->figures = summarise(series.values);
    return {};
}

}  // namespace

Status fill_rows(std::vector<SummaryRow>& rows, const std::vector<LateFigures>& late) {
    for (const LateFigures& one : late) {
        for (const Series& series : one.series) {
            if (Status filled = fill_row(rows, one, series); !filled) {
                return filled;
            }
        }
        for (SummaryRow& row : rows) {
            if (!one.addition.taints.empty() && row.key.order == one.order &&
                row.status == RowStatus::ok) {
                row.status = RowStatus::tainted;
            }
        }
    }
    return {};
}

Status BundleWriter::fill(const std::vector<LateFigures>& late) {
    auto rows = parse_summary(summary_);
    if (!rows) {
        return rows.error();
    }
    if (Status filled = fill_rows(*rows, late); !filled) {
        return filled;
    }
    Json run = run_;
    std::vector<std::int64_t> numbers;
    for (const LateFigures& one : late) {
        Json& cells = run["cells"];
        const auto cell = std::find_if(cells.begin(), cells.end(), [&](const Json& other) {
            return other.contains("order") && other["order"] == one.order;
        });
        if (cell == cells.end()) {
            return plain_error("fill in", fmt::format("order {}", one.order),
                               "no cell has this place");
        }
        add_to_cell(*cell, one.addition);
        numbers.push_back((*cell)["cell"].get<std::int64_t>());
    }
    std::string summary = std::string(summary_header()) + "\n";
    for (const SummaryRow& row : *rows) {
        summary += format_summary_row(row) + "\n";
    }
    return commit(std::move(run), std::move(summary), [&](int fd) -> Result<std::uint64_t> {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < late.size(); ++i) {
            auto bytes = write_samples(fd, dir_ / kSamplesFile, numbers[i], late[i].series);
            if (!bytes) {
                return bytes;
            }
            sum += *bytes;
        }
        return sum;
    });
}

}  // namespace bench
