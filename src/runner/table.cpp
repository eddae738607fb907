#include "runner/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "common/statistics.h"
#include "common/units.h"
#include "runner/table_lines.h"

namespace bench {
namespace {

constexpr Ppm kMedian = 500'000;

std::optional<Ppm> level_of(Statistic statistic) {
    switch (statistic) {
        case Statistic::p50:
            return 500'000;
        case Statistic::p90:
            return 900'000;
        case Statistic::p95:
            return 950'000;
        case Statistic::p99:
            return 990'000;
        case Statistic::p999:
            return 999'000;
        default:
            return std::nullopt;
    }
}

/// One figure of the table, combined over the repetitions.
struct Figure {
    std::optional<double> value;
    bool weak = false;  // few samples beyond this percentile
    std::string unit;
};

/// Repetitions that did not run, or broke, are left out.
Figure combine(const std::vector<const SummaryRow*>& repetitions, Statistic statistic) {
    Figure figure;
    std::vector<double> values;
    for (const SummaryRow* row : repetitions) {
        figure.unit = row->metric.unit;
        if (!ran(row->status)) {
            continue;
        }
        const auto value = row->figures ? row->figures->get(statistic) : std::nullopt;
        if (!value) {
            return figure;  // a figure that one repetition lacks is not known for all of them
        }
        const auto level = level_of(statistic);
        figure.weak |=
            level && quantile_availability(row->figures->count, *level) == Availability::weak;
        values.push_back(*value);
    }
    if (values.empty()) {
        return figure;
    }
    std::sort(values.begin(), values.end());
    switch (statistic) {
        case Statistic::count:
            figure.value = 0;
            for (const double value : values) {
                *figure.value += value;
            }
            break;
        case Statistic::min:
            figure.value = values.front();
            break;
        case Statistic::max:
            figure.value = values.back();
            break;
        default:
            figure.value = quantile_type7(values, kMedian);
    }
    return figure;
}

struct Scale {
    double divisor;
    int decimals;
    const char* unit;
};

/// One unit for all durations of a metric, so that its columns can be compared: the one that suits
/// their median.
Scale scale_for_durations(std::vector<double> sizes) {
    std::erase(sizes, 0.0);
    if (sizes.empty()) {
        return {1, 0, ""};
    }
    std::sort(sizes.begin(), sizes.end());
    const double typical = quantile_type7(sizes, kMedian);
    if (typical < 1e3) {
        return {1, 0, "ns"};
    }
    if (typical < 1e6) {
        return {1e3, 1, "us"};
    }
    return typical < 1e9 ? Scale{1e6, 3, "ms"} : Scale{1e9, 3, "s"};
}

Scale scale_for(Statistic statistic, const std::string& unit, const Scale& durations) {
    if (statistic == Statistic::count || unit == "1") {
        const bool whole = statistic == Statistic::count || statistic == Statistic::min ||
                           statistic == Statistic::max;
        return {1, whole ? 0 : 1, ""};
    }
    if (unit == "ns") {
        return durations;
    }
    return {1, 4, unit == "1/s" ? "1/s" : ""};
}

struct TextColumn {
    std::string heading, unit;
    std::vector<std::string> cells;
    bool left = false;
};

/// The keys of the lines' variants that tell them apart and have no column of their own.
std::vector<std::string> varying_keys(const std::map<LineKey, Line>& lines,
                                      const std::vector<TableColumn>& wanted) {
    std::map<std::string, std::set<std::string>> values;
    std::map<std::string, std::size_t> seen;
    for (const auto& [key, line] : lines) {
        for (const auto& [name, value] : parse_variant(key.variant)) {
            values[name].insert(value);
            ++seen[name];
        }
    }
    std::vector<std::string> varying;
    for (const auto& [name, distinct] : values) {
        const bool varies = distinct.size() > 1 || seen[name] < lines.size();
        const bool shown =
            std::any_of(wanted.begin(), wanted.end(), [&heading = name](const TableColumn& one) {
                return one.text && one.heading == heading;
            });
        if (varies && !shown) {
            varying.push_back(name);
        }
    }
    return varying;
}

/// Words instead of the whole variant, and what of it they leave open.
void add_text_columns(std::vector<TextColumn>& columns, const std::map<LineKey, Line>& lines,
                      const std::vector<TableColumn>& wanted) {
    const auto open = varying_keys(lines, wanted);
    if (!open.empty()) {
        TextColumn column{"variant", "", {}, true};
        for (const auto& [key, line] : lines) {
            auto pairs = parse_variant(key.variant);
            std::erase_if(pairs, [&](const auto& pair) {
                return std::find(open.begin(), open.end(), pair.first) == open.end();
            });
            column.cells.push_back(printable(format_variant(pairs)));
        }
        columns.push_back(std::move(column));
    }
    for (const TableColumn& one : wanted) {
        if (one.text) {
            TextColumn column{one.heading, "", {}, true};
            for (const auto& [key, line] : lines) {
                column.cells.push_back(printable(one.text(key.variant, key.subject)));
            }
            columns.push_back(std::move(column));
        }
    }
}

/// Shown where it varies, or where `wanted` names it.
void add_key_column(std::vector<TextColumn>& columns, const std::map<LineKey, Line>& lines,
                    const std::vector<TableColumn>& wanted, const char* heading,
                    std::string LineKey::*field) {
    TextColumn column{heading, "", {}, true};
    bool shown = std::any_of(wanted.begin(), wanted.end(), [&](const TableColumn& one) {
        return one.metric.empty() && one.heading == heading;
    });
    for (const auto& [key, line] : lines) {
        column.cells.push_back(printable(key.*field));
        shown |= column.cells.back() != column.cells.front();
    }
    if (shown) {
        columns.push_back(std::move(column));
    }
}

/// The columns that show a figure.
std::vector<TableColumn> figure_columns(const std::vector<TableColumn>& columns) {
    std::vector<TableColumn> figures;
    std::copy_if(columns.begin(), columns.end(), std::back_inserter(figures),
                 [](const TableColumn& column) { return !column.metric.empty(); });
    return figures;
}

/// Width on a terminal: UTF-8 continuation bytes take none.
std::size_t width(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
    }));
}

std::string pad(const std::string& text, std::size_t to, bool left) {
    const std::string blanks(to - std::min(to, width(text)), ' ');
    return left ? text + blanks : blanks + text;
}

std::string render(const std::vector<TextColumn>& columns, std::size_t line_count) {
    std::string text;
    std::vector<std::size_t> widths;
    bool units = false;
    for (const auto& column : columns) {
        std::size_t most = std::max(width(column.heading), width(column.unit));
        for (const auto& cell : column.cells) {
            most = std::max(most, width(cell));
        }
        widths.push_back(most);
        units |= !column.unit.empty();
    }
    const auto add_line = [&](const auto& pick) {
        std::string line;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            line += (i == 0 ? "" : "  ") + pad(pick(columns[i]), widths[i], columns[i].left);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    };
    add_line([](const TextColumn& column) { return column.heading; });
    if (units) {
        add_line([](const TextColumn& column) { return column.unit; });
    }
    for (std::size_t at = 0; at < line_count; ++at) {
        add_line([at](const TextColumn& column) { return column.cells[at]; });
    }
    return text;
}

}  // namespace

std::string printable(const std::string& text) {
    std::string clean;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        clean += byte < 0x20 || byte == 0x7f ? '?' : c;
    }
    return clean;
}

std::string format_table(const std::vector<SummaryRow>& rows,
                         const std::vector<TableColumn>& wanted_columns) {
    const bool by_subject = std::any_of(wanted_columns.begin(), wanted_columns.end(),
                                        [](const TableColumn& column) { return !!column.text; });
    const auto lines = group_lines(rows, by_subject);
    if (lines.empty()) {
        return {};
    }
    std::vector<TextColumn> text;
    add_key_column(text, lines, wanted_columns, "kernel", &LineKey::kernel);
    add_key_column(text, lines, wanted_columns, "scheduler", &LineKey::scheduler);
    if (by_subject) {
        add_text_columns(text, lines, wanted_columns);
    } else {
        add_key_column(text, lines, wanted_columns, "variant", &LineKey::variant);
    }
    const std::vector<TableColumn> columns = figure_columns(wanted_columns);
    TextColumn clients{"clients", "", {}, false};
    bool any = false;
    for (const auto& [key, line] : lines) {
        any |= key.clients.has_value();
        clients.cells.push_back(key.clients ? std::to_string(*key.clients) : "");
    }
    if (any) {
        text.push_back(std::move(clients));
    }

    std::vector<std::vector<Figure>> figures;  // by column, then line
    std::map<std::string, std::string> units;
    std::map<std::string, std::vector<double>> durations;
    for (const TableColumn& wanted : columns) {
        figures.emplace_back();
        for (const auto& [key, line] : lines) {
            const auto found = line.by_metric.find(wanted.metric);
            figures.back().push_back(found == line.by_metric.end()
                                         ? Figure{}
                                         : combine(found->second, wanted.statistic));
            const Figure& figure = figures.back().back();
            if (!figure.unit.empty()) {
                units[wanted.metric] = figure.unit;
            }
            if (figure.value && wanted.statistic != Statistic::count) {
                durations[wanted.metric].push_back(std::abs(*figure.value));
            }
        }
    }

    bool any_missing = false;
    bool any_weak = false;
    for (std::size_t at = 0; at < columns.size(); ++at) {
        const TableColumn& wanted = columns[at];
        Scale scale = scale_for(wanted.statistic, units[wanted.metric],
                                scale_for_durations(durations[wanted.metric]));
        if (wanted.decimals && units[wanted.metric] != "ns") {
            scale.decimals = *wanted.decimals;
        }
        TextColumn column{wanted.heading, scale.unit, {}, false};
        for (const Figure& figure : figures[at]) {
            any_missing |= !figure.value;
            any_weak |= figure.value && figure.weak;
            column.cells.push_back(figure.value
                                       ? fmt::format("{}{:.{}f}", figure.weak ? "~" : "",
                                                     *figure.value / scale.divisor, scale.decimals)
                                       : "n/a");
        }
        text.push_back(std::move(column));
    }
    TextColumn status{"", "", {}, true};
    bool any_status = false;
    bool any_partial = false;
    for (const auto& [key, line] : lines) {
        const bool fine = line.worst == RowStatus::ok;
        status.cells.push_back(fine ? "" : std::string(status_text(line.worst)));
        if (line.partial()) {
            status.cells.back() += fmt::format(" {}/{}", line.left_out.size(), line.cells.size());
        }
        any_status |= !fine;
        any_partial |= line.partial();
    }
    if (any_status) {
        text.push_back(std::move(status));
    }
    std::string result = render(text, lines.size());
    if (any_weak || any_missing || any_partial) {
        result += '\n';
    }
    if (any_weak) {
        result += "~    few samples lie beyond this percentile: take it as rough\n";
    }
    if (any_missing) {
        result += "n/a  not measured, or too few samples for this percentile\n";
    }
    if (any_partial) {
        result += "k/n  k of n repetitions did not run or broke, and are left out\n";
    }
    return result;
}

std::string format_highlight(const std::vector<SummaryRow>& rows,
                             const std::vector<TableColumn>& columns) {
    constexpr std::size_t kMost = 2;
    std::string text;
    std::size_t shown = 0;
    for (const TableColumn& wanted : columns) {
        const auto row = std::find_if(rows.begin(), rows.end(), [&](const SummaryRow& candidate) {
            return candidate.subject.empty() && candidate.metric.name == wanted.metric;
        });
        if (row == rows.end() || shown == kMost) {
            continue;
        }
        const auto value = row->figures ? row->figures->get(wanted.statistic) : std::nullopt;
        std::string figure = "n/a";
        if (value) {
            figure = row->metric.unit == "ns"
                         ? format_duration_human(Duration(std::llround(*value)))
                         : fmt::format("{:.4g}", *value);
        }
        text += fmt::format("{}{} {}", shown == 0 ? "" : ", ", wanted.heading, figure);
        ++shown;
    }
    return text;
}

}  // namespace bench
