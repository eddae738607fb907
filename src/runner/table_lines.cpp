#include "runner/table_lines.h"

#include <algorithm>

namespace bench {
namespace {

int badness(RowStatus status) {
    switch (status) {
        case RowStatus::ok:
            return 0;
        case RowStatus::tainted:
            return 1;
        case RowStatus::not_run:
            return 2;
        case RowStatus::failed:
            break;
    }
    return 3;
}

LineKey cell_key(const SummaryRow& row) {
    return {row.key.kernel, row.key.scheduler, row.key.variant, row.key.clients};
}

/// The lines of each cell.
class LineKeys {
  public:
    LineKeys(const std::vector<SummaryRow>& rows, bool by_subject) {
        for (const SummaryRow& row : rows) {
            auto& subjects = subjects_[cell_key(row)];
            if (by_subject && !row.subject.empty() &&
                std::find(subjects.begin(), subjects.end(), row.subject) == subjects.end()) {
                subjects.push_back(row.subject);
            }
        }
    }

    /// Those that show `row`: its own, or, for a row of the whole cell, all of the cell's.
    [[nodiscard]] std::vector<LineKey> lines_of(const SummaryRow& row) const {
        std::vector<LineKey> keys;
        const auto& subjects = subjects_.at(cell_key(row));
        for (std::size_t place = 0; place < subjects.size(); ++place) {
            if (row.subject.empty() || row.subject == subjects[place]) {
                keys.push_back(cell_key(row));
                keys.back().place = place;
                keys.back().subject = subjects[place];
            }
        }
        if (subjects.empty() && row.subject.empty()) {
            keys.push_back(cell_key(row));
        }
        return keys;
    }

  private:
    std::map<LineKey, std::vector<std::string>> subjects_;
};

void add(Line& line, const SummaryRow& row) {
    line.by_metric[row.metric.name].push_back(&row);
    const CellPlace place{row.key.repetition, row.key.pair, row.key.order, row.key.boot};
    line.cells.insert(place);
    if (!ran(row.status)) {
        line.left_out.insert(place);
    }
    if (badness(row.status) > badness(line.worst)) {
        line.worst = row.status;
    }
}

}  // namespace

bool ran(RowStatus status) {
    return status == RowStatus::ok || status == RowStatus::tainted;
}

std::map<LineKey, Line> group_lines(const std::vector<SummaryRow>& rows, bool by_subject) {
    const LineKeys keys(rows, by_subject);
    std::map<LineKey, Line> lines;
    for (const SummaryRow& row : rows) {
        for (const LineKey& key : keys.lines_of(row)) {
            add(lines[key], row);
        }
    }
    return lines;
}

}  // namespace bench
