#pragma once

#include <array>
#include <string>
#include <vector>

#include "analysis/study.h"

namespace bench::analysis {

/// What a study says to people, piece by piece, whatever it is printed as.

/// One line of a figure's table: clients, base, new, change, 95 % interval, verdict.
inline constexpr std::size_t kFigureColumns = 6;
using FigureLine = std::array<std::string, kFigureColumns>;
[[nodiscard]] const FigureLine& figure_heading();

/// A figure that decided, over the sweep and at each number of clients.
struct FigureTable {
    std::string title;
    std::vector<FigureLine> lines;  ///< without the heading
};
/// A list under a heading; never empty.
struct StudyList {
    std::string heading;
    std::vector<std::string> lines;
};

/// The line to paste into a mail, without the line feed.
[[nodiscard]] std::string headline(const Study& study);
[[nodiscard]] std::vector<FigureTable> figure_tables(const Study& study);
/// Whether a line carries the mark that confirm_note() explains.
[[nodiscard]] bool any_to_confirm(const Study& study);
[[nodiscard]] std::string_view confirm_note();
/// Other figures, and what differs; those that hold anything.
[[nodiscard]] std::vector<StudyList> study_lists(const Study& study);

}  // namespace bench::analysis
