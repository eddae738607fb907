#include "massive_intr/import.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "common/units.h"
#include "massive_intr/series.h"

namespace bench::massive_intr {
namespace {

struct ClassicLine {
    std::int64_t pid = 0;
    std::int64_t loops = 0;
};

std::optional<ClassicLine> parse_line(std::string_view line) {
    constexpr std::int64_t kMostPids = std::int64_t{1} << 31U;
    constexpr std::int64_t kMostLoops = std::int64_t{1} << 53U;  // exact as a double
    const auto tab = line.find('\t');
    if (tab == std::string_view::npos) {
        return std::nullopt;
    }
    const auto pid = parse_integer(line.substr(0, tab), 1, kMostPids);
    const auto loops = parse_integer(line.substr(tab + 1), 0, kMostLoops);
    if (!pid || !loops) {
        return std::nullopt;
    }
    return ClassicLine{*pid, *loops};
}

Error line_error(std::size_t number, std::string_view what) {
    return plain_error("import", fmt::format("line {}", number), std::string(what));
}

// As much of a line as an error needs, fit for a terminal.
std::string shown(std::string_view line) {
    constexpr std::size_t kMost = 40;
    std::string text;
    for (const char c : line.substr(0, kMost)) {
        text += c >= ' ' && c <= '~' ? c : '?';
    }
    return line.size() > kMost ? text + "..." : text;
}

}  // namespace

Result<ImportedCell> import_classic(std::string_view text) {
    std::vector<double> loops;
    Json processes = Json::array();
    std::map<std::int64_t, std::size_t> line_of_pid;
    std::size_t number = 0;
    while (!text.empty()) {
        ++number;
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        if (line.find_first_not_of(" \t") == std::string_view::npos) {
            continue;
        }
        const auto parsed = parse_line(line);
        if (!parsed) {
            return line_error(
                number, fmt::format("'{}' is not a pid, a tab and a number of loops", shown(line)));
        }
        if (const auto [known, added] = line_of_pid.emplace(parsed->pid, number); !added) {
            return line_error(number, fmt::format("pid {} is in line {} already: more than one run",
                                                  parsed->pid, known->second));
        }
        processes.push_back({{"process", loops.size()}, {"pid", parsed->pid}});
        loops.push_back(static_cast<double>(parsed->loops));
    }
    if (loops.empty()) {
        return plain_error("import", "massive-intr", "there is no line with a pid and its loops");
    }
    ImportedCell cell;
    cell.clients = static_cast<std::int64_t>(loops.size());
    cell.outcome.series = loop_series(loops);
    cell.outcome.details["processes"] = std::move(processes);
    return cell;
}

}  // namespace bench::massive_intr
