#include "analysis/study_markdown.h"

#include <fmt/format.h>

#include "analysis/study_parts.h"
#include "common/csv.h"

namespace bench::analysis {

namespace {

std::string table_line(const FigureLine& line) {
    std::string text = "|";
    for (const std::string& cell : line) {
        text += " " + markdown_text(cell) + " |";
    }
    return text + "\n";
}

}  // namespace

std::string markdown_text(std::string_view text) {
    std::string escaped;
    for (const char c : valid_utf8(text)) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            escaped += ' ';
            continue;
        }
        if (std::string_view("\\`*_[]<>|#&~@!").find(c) != std::string_view::npos) {
            escaped += '\\';
        }
        escaped += c;
    }
    return escaped;
}

std::string study_markdown(const Study& study) {
    std::string text = fmt::format("**{}**\n", markdown_text(headline(study)));
    for (const std::string& remark : study.remarks) {
        text += "\n" + markdown_text(remark) + "\n";
    }
    for (const FigureTable& table : figure_tables(study)) {
        text += fmt::format("\n### {}\n\n", markdown_text(table.title));
        text += table_line(figure_heading()) + "| ---: | ---: | ---: | ---: | ---: | --- |\n";
        for (const FigureLine& line : table.lines) {
            text += table_line(line);
        }
    }
    if (any_to_confirm(study)) {
        text += fmt::format("\n\\*  {}\n", confirm_note());
    }
    for (const StudyList& list : study_lists(study)) {
        text += fmt::format("\n{}\n\n", markdown_text(list.heading));
        for (const std::string& line : list.lines) {
            text += "- " + markdown_text(line) + "\n";
        }
    }
    return text;
}

}  // namespace bench::analysis
