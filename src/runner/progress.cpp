#include "runner/progress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "common/syscalls.h"
#include "runner/fitted_table.h"
#include "runner/table.h"

namespace bench {
namespace {

constexpr std::size_t kUsualWidth = 80;

void say(const std::string& text) {
    // Progress that can't be shown is no reason to stop measuring.
    (void)write_all(STDERR_FILENO, text.data(), text.size());
}

std::string describe(const PlannedCell& cell) {
    std::vector<std::string> parts;
    if (cell.number == 0) {
        parts.emplace_back("warm-up");
    }
    if (cell.clients) {
        parts.push_back(fmt::format("clients {}", *cell.clients));
    }
    for (const auto& [option, value] : cell.settings) {
        parts.push_back(fmt::format("{} {}", option.substr(option.find_first_not_of('-')), value));
    }
    if (cell.repetition > 1 || parts.empty()) {
        parts.push_back(fmt::format("repetition {}", cell.repetition));
    }
    return printable(fmt::format("{}", fmt::join(parts, ", ")));
}

std::string clock_text(Duration duration) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
    return seconds >= 3600
               ? fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
               : fmt::format("{}:{:02}", seconds / 60, seconds % 60);
}

}  // namespace

std::string format_bar(std::int64_t finished, std::int64_t cells, Duration elapsed,
                       const std::string& current, const std::string& last, std::size_t width) {
    constexpr std::int64_t kBarWidth = 20;
    const std::int64_t filled = cells == 0 ? 0 : kBarWidth * finished / cells;
    std::string line = fmt::format(
        "[{}{}] {}/{}", std::string(static_cast<std::size_t>(filled), '#'),
        std::string(static_cast<std::size_t>(kBarWidth - filled), '.'), finished, cells);
    if (finished > 0) {
        line += fmt::format("  {} left", clock_text(elapsed / finished * (cells - finished)));
    }
    if (!current.empty()) {
        line += "  " + current;
    }
    if (!last.empty()) {
        line += "  (last: " + last + ")";
    }
    const std::size_t most = width > 1 ? width - 1 : 1;
    if (line.size() > most) {
        line.resize(most);
        while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0x80U) != 0) {
            line.pop_back();  // no half character at the edge
        }
    }
    return line;
}

ProgressStyle progress_style_for(int fd) {
    const char* term = std::getenv("TERM");
    const bool can_redraw = term != nullptr && std::string_view(term) != "dumb";
    return ::isatty(fd) == 1 && can_redraw ? ProgressStyle::bar : ProgressStyle::lines;
}

Progress::Progress(ProgressStyle style, std::int64_t cells, std::vector<TableColumn> columns,
                   StopSource& stop)
    : style_(style), cells_(cells), columns_(std::move(columns)), stop_(stop) {}

Progress::~Progress() {
    wipe();
}

void Progress::wipe() {
    if (drawn_) {
        say("\r\x1b[K");
        drawn_ = false;
    }
}

void Progress::draw() {
    if (style_ == ProgressStyle::bar) {
        say("\r\x1b[K" + format_bar(finished_, cells_, MonotonicClock::now() - begin_, current_,
                                    last_, terminal_width(STDERR_FILENO).value_or(kUsualWidth)));
        drawn_ = true;
    }
}

void Progress::cell_started(const PlannedCell& cell) {
    current_ = describe(cell);
    draw();
}

bool Progress::tick() {
    draw();
    return stop_.check() != StopReason::signal;
}

void Progress::cell_finished(const PlannedCell& cell, const Json& record,
                             const std::vector<SummaryRow>& rows) {
    ++finished_;
    const std::string status = record.value("status", "");
    last_ = format_highlight(rows, columns_);
    if (status != "ok") {
        const auto& taints = record.value("taints", Json::array());
        const std::string why = record.value("reason", "");
        last_ = status + ": " +
                (!why.empty()      ? why
                 : !taints.empty() ? taints.front().get<std::string>()
                                   : "");
        last_ = printable(last_);
    }
    if (style_ == ProgressStyle::lines) {
        say(fmt::format("[{}/{}] {}: {}\n", finished_, cells_, describe(cell), last_));
    }
}

}  // namespace bench
