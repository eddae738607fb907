#include "analysis/study_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/study_parts.h"

namespace bench::analysis {

namespace {

std::string table_text(const FigureTable& table) {
    std::vector<FigureLine> lines{figure_heading()};
    lines.insert(lines.end(), table.lines.begin(), table.lines.end());
    std::array<std::size_t, kFigureColumns> widths{};
    for (const FigureLine& line : lines) {
        for (std::size_t i = 0; i < kFigureColumns; ++i) {
            widths[i] = std::max(widths[i], line[i].size());
        }
    }
    std::string text = fmt::format("\n{}\n", table.title);
    for (const FigureLine& line : lines) {
        for (std::size_t i = 0; i + 1 < kFigureColumns; ++i) {
            text += fmt::format("{:>{}}  ", line[i], widths[i]);
        }
        text += line.back() + "\n";
    }
    return text;
}

}  // namespace

std::string study_text(const Study& study) {
    std::string text = headline(study) + "\n";
    for (const std::string& remark : study.remarks) {
        text += remark + "\n";
    }
    for (const FigureTable& table : figure_tables(study)) {
        text += table_text(table);
    }
    if (any_to_confirm(study)) {
        text += fmt::format("\n*  {}\n", confirm_note());
    }
    for (const StudyList& list : study_lists(study)) {
        text += fmt::format("\n{}\n", list.heading);
        for (const std::string& line : list.lines) {
            text += "  " + line + "\n";
        }
    }
    return text;
}

}  // namespace bench::analysis
