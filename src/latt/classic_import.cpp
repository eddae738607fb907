#include "latt/classic_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string>

#include "latt/options.h"
#include "latt/series.h"

namespace bench::latt {
namespace {

constexpr std::uint64_t kMostClients = 1'000'000;
constexpr std::uint64_t kMostEntries = std::uint64_t{1} << 53U;
constexpr std::uint64_t kLongestWaitMs = longest_wait / std::chrono::milliseconds(1);
constexpr std::string_view kFirstWord = "Parameters:";
constexpr std::size_t kShown = 60;  // of a wrong line in a message

/// A line's words, one blank between them.
std::string squeeze(std::string_view line) {
    constexpr std::string_view kBlanks = " \t\r\v\f";
    std::string words;
    while (true) {
        const auto begin = line.find_first_not_of(kBlanks);
        if (begin == std::string_view::npos) {
            return words;
        }
        line.remove_prefix(begin);
        const auto end = std::min(line.find_first_of(kBlanks), line.size());
        words += words.empty() ? "" : " ";
        words += line.substr(0, end);
        line.remove_prefix(end);
    }
}

/// The lines that say something, one at a time.
class Lines {
  public:
    explicit Lines(std::string_view text) : rest_(text) { next(); }

    [[nodiscard]] bool at_end() const { return !line_; }
    [[nodiscard]] const std::string& line() const { return *line_; }
    [[nodiscard]] bool begins_with(std::string_view word) const {
        return line_ && line_->starts_with(word);
    }
    void next() {
        line_.reset();
        while (!rest_.empty() && !line_) {
            const auto end = std::min(rest_.find('\n'), rest_.size());
            std::string words = squeeze(rest_.substr(0, end));
            rest_.remove_prefix(std::min(end + 1, rest_.size()));
            ++number_;
            if (!words.empty()) {
                line_ = std::move(words);
            }
        }
    }

    /// Of this line; behind the last one: of that.
    [[nodiscard]] Error error(std::string detail) const {
        return plain_error("import", fmt::format("line {}", std::max<std::int64_t>(number_, 1)),
                           std::move(detail));
    }
    [[nodiscard]] Error expected(std::string_view what) const {
        if (at_end()) {
            return error(fmt::format("the output ends where '{}' should follow", what));
        }
        return error(fmt::format("'{}' should be '{}'", line_->substr(0, kShown), what));
    }

  private:
    std::string_view rest_;
    std::optional<std::string> line_;
    std::int64_t number_ = 0;
};

/// Takes the fixed parts and the numbers of a line from left to right.
class Words {
  public:
    explicit Words(std::string_view line) : rest_(line) {}

    Words& text(std::string_view expected) {
        good_ = good_ && rest_.starts_with(expected);
        rest_.remove_prefix(good_ ? expected.size() : 0);
        return *this;
    }
    /// Digits alone; a number outside [least, most] is kept for out_of_range().
    Words& number(std::uint64_t& value, std::uint64_t least, std::uint64_t most) {
        const auto digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
        const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + digits, value);
        good_ = good_ && digits > 0;
        if (good_ && (code != std::errc() || value < least || value > most)) {
            out_of_range_ = fmt::format("{} is not {}..{}",
                                        rest_.substr(0, std::min(digits, kShown)), least, most);
        }
        rest_.remove_prefix(good_ ? digits : 0);
        return *this;
    }
    [[nodiscard]] bool whole() const { return good_ && rest_.empty(); }
    [[nodiscard]] const std::string& out_of_range() const { return out_of_range_; }

  private:
    std::string_view rest_;
    bool good_ = true;
    std::string out_of_range_;
};

/// Takes a line as `words` read it, or says what it should have been.
Status take(Lines& lines, const Words& words, std::string_view should_be) {
    if (lines.at_end() || !words.whole()) {
        return lines.expected(should_be);
    }
    if (!words.out_of_range().empty()) {
        return lines.error(words.out_of_range());
    }
    lines.next();
    return {};
}

Words words_of(const Lines& lines) {
    return Words(lines.at_end() ? std::string_view() : std::string_view(lines.line()));
}

struct Head {
    std::uint64_t min_wait_ms = 0, max_wait_ms = 0, clients = 0, entries = 0;
};

Result<Head> read_head(Lines& lines) {
    while (!lines.at_end() && !lines.begins_with(kFirstWord)) {
        lines.next();
    }
    if (lines.at_end()) {
        return lines.error("up to here no line begins with 'Parameters:', as latt's output does");
    }
    Head head;
    Words parameters = words_of(lines);
    parameters.text("Parameters: min_wait=")
        .number(head.min_wait_ms, 0, kLongestWaitMs)
        .text("ms, max_wait=")
        .number(head.max_wait_ms, 0, kLongestWaitMs)
        .text("ms, clients=")
        .number(head.clients, 1, kMostClients);
    if (auto taken =
            take(lines, parameters, "Parameters: min_wait=<N>ms, max_wait=<N>ms, clients=<N>");
        !taken) {
        return taken.error();
    }
    Words entries = words_of(lines);
    entries.text("Entries logged: ").number(head.entries, 0, kMostEntries);
    if (auto taken = take(lines, entries, "Entries logged: <N>"); !taken) {
        return taken.error();
    }
    return head;
}

/// What one block of averages says, in nanoseconds.
struct Block {
    Summary summary;
    std::optional<double> stdev_mean;
};

/// "Max 43974 usec". Without enough entries the classic divided by zero and printed "nan".
Status read_figure(Lines& lines, std::string_view label, bool defined,
                   std::optional<double>& value_ns) {
    std::uint64_t value_us = 0;
    Words figure = words_of(lines);
    figure.text(label).text(" ").number(value_us, 0, max_import_us).text(" usec");
    if (!defined && (words_of(lines).text(label).text(" nan usec").whole() ||
                     words_of(lines).text(label).text(" -nan usec").whole())) {
        lines.next();
        return {};
    }
    if (auto taken = take(lines, figure, fmt::format("{} <whole number> usec", label)); !taken) {
        return taken;
    }
    if (defined) {
        value_ns = static_cast<double>(value_us * 1000);
    }
    return {};
}

Result<Block> read_block(Lines& lines, std::uint64_t entries) {
    lines.next();  // its title
    if (lines.at_end() || lines.line().find_first_not_of('-') != std::string::npos) {
        return lines.expected("-------------------------------------");
    }
    lines.next();
    Block block;
    Summary& summary = block.summary;
    summary.count = entries;
    const bool any = entries > 0;
    const bool several = entries > 1;
    if (auto read = read_figure(lines, "Max", any, summary.max); !read) {
        return read.error();
    }
    const Lines at_average = lines;
    if (auto read = read_figure(lines, "Avg", any, summary.mean); !read) {
        return read.error();
    }
    if (any && *summary.mean > *summary.max) {
        return at_average.error("the average is above the maximum");
    }
    if (auto read = read_figure(lines, "Stdev", several, summary.stdev); !read) {
        return read.error();
    }
    if (auto read = read_figure(lines, "Stdev mean", several, block.stdev_mean); !read) {
        return read.error();
    }
    return block;
}

void add_block(ImportedCell& cell, std::string_view name, const Block& block) {
    for (Metric& metric : metrics(Options{})) {
        if (metric.name == name) {
            cell.outcome.summaries.push_back({std::move(metric), {}, block.summary});
        }
    }
    cell.outcome.details[fmt::format("{}_stdev_mean_ns", name)] =
        block.stdev_mean ? Json(static_cast<std::int64_t>(*block.stdev_mean)) : Json(nullptr);
}

}  // namespace

Result<ImportedCell> import_classic(std::string_view text) {
    Lines lines(text);
    const auto head = read_head(lines);
    if (!head) {
        return head.error();
    }
    Options options;
    options.min_wait = std::chrono::milliseconds(head->min_wait_ms);
    options.max_wait = std::chrono::milliseconds(head->max_wait_ms);
    ImportedCell cell;
    cell.clients = static_cast<std::int64_t>(head->clients);
    cell.outcome.details = {{"min_wait_ns", options.min_wait.count()},
                            {"max_wait_ns", options.max_wait.count()}};

    Block wakeup;
    const bool averages = lines.begins_with("Wakeup averages");
    if (averages) {
        auto block = read_block(lines, head->entries);
        if (!block) {
            return block.error();
        }
        wakeup = *block;
    } else if (head->entries > 0) {
        return lines.expected("Wakeup averages");
    }
    add_block(cell, "wakeup", wakeup);
    const bool work = averages && lines.begins_with("Work averages");
    if (work) {
        auto block = read_block(lines, head->entries);
        if (!block) {
            return block.error();
        }
        add_block(cell, "work", *block);
        cell.outcome.notes.emplace_back(
            "the classic output does not tell how much work there was: 64KiB unless the variant "
            "says "
            "otherwise");
    } else if (averages) {
        options.work = ByteSize{0};
    }
    if (lines.begins_with(kFirstWord)) {
        return lines.error("a second output begins here: import each from a file of its own");
    }
    if (!lines.at_end()) {
        return lines.expected(work ? "the end" : averages ? "Work averages" : "Wakeup averages");
    }
    cell.variant = variant(options);
    return cell;
}

}  // namespace bench::latt
