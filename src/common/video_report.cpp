#include "common/video_report.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace bench {
namespace {

/// A number at the front of `text`, which it is cut from together with blanks and `separator`.
template <class T>
std::optional<T> take_number(std::string_view& text, char separator = ' ') {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    T value{};
    const auto [rest, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc()) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    if (!text.empty() && text.front() == separator) {
        text.remove_prefix(1);
    }
    return value;
}

constexpr double kUsPerSecond = 1e6;

std::int64_t to_us(double seconds) {
    return std::llround(seconds * kUsPerSecond);
}

/// One status line: "[  2.656386] BENCH 65 2.600000 0 0".
struct MpvLine {
    std::int64_t frame = 0;
    std::int64_t dropped = 0;
    FrameTime time;
};

std::optional<MpvLine> read_mpv_line(std::string_view line) {
    const std::size_t open = line.find('[');
    constexpr std::string_view kMark = "] BENCH ";
    const std::size_t mark = line.find(kMark);
    if (mark == std::string_view::npos || open == std::string_view::npos) {
        return std::nullopt;
    }
    // The terminal's "erase line" has a bracket too: the clock's is the last one.
    std::string_view clock = line.substr(0, mark);
    clock.remove_prefix(clock.rfind('[') + 1);
    std::string_view rest = line.substr(mark + kMark.size());
    const auto shown = take_number<double>(clock);
    const auto frame = take_number<std::int64_t>(rest);
    const auto due = take_number<double>(rest);
    const auto late_drops = take_number<std::int64_t>(rest);
    const auto decoder_drops = take_number<std::int64_t>(rest);
    if (!shown || !frame || !due || !late_drops || !decoder_drops) {
        return std::nullopt;
    }
    return MpvLine{*frame, *late_drops + *decoder_drops, {to_us(*shown), to_us(*due)}};
}

}  // namespace

std::optional<VideoReport> read_mpv_status(std::string_view output) {
    std::vector<FrameTime> frames;
    VideoReport report;
    std::int64_t last = -1;
    while (!output.empty()) {
        const std::size_t end = std::min(output.find_first_of("\r\n"), output.size());
        const auto line = read_mpv_line(output.substr(0, end));
        output.remove_prefix(std::min(end + 1, output.size()));
        if (!line) {
            continue;
        }
        report.dropped = line->dropped;
        if (line->frame > last) {
            last = line->frame;
            frames.push_back(line->time);
        }
    }
    if (frames.empty()) {
        return std::nullopt;
    }
    report.played = std::max<std::int64_t>(last + 1 - report.dropped, 0);
    report.late = count_late(frames, true);
    return report;
}

std::optional<VideoReport> read_ffmpeg_frames(std::string_view lines) {
    constexpr std::int64_t kLatenessSteps = 1 << 20;
    constexpr std::int64_t kLatenessOffsetMs = 100'000;
    constexpr std::int64_t kUsPerTick = 10;
    constexpr std::int64_t kUsPerMs = 1000;
    std::vector<FrameTime> frames;
    while (!lines.empty()) {
        const std::size_t end = lines.find('\n');
        if (end == std::string_view::npos) {
            break;  // a line that was cut off
        }
        std::string_view line = lines.substr(0, end);
        lines.remove_prefix(end + 1);
        // "STREAM, DTS, PTS, DURATION, SIZE, CHECKSUM"; comments start with '#'.
        if (!take_number<std::int64_t>(line, ',')) {
            continue;
        }
        if (const auto stamp = take_number<std::int64_t>(line, ',')) {
            const std::int64_t shown = *stamp / kLatenessSteps * kUsPerTick;
            const std::int64_t late = (*stamp % kLatenessSteps - kLatenessOffsetMs) * kUsPerMs;
            frames.push_back({shown, shown - late});
        }
    }
    if (frames.empty()) {
        return std::nullopt;
    }
    return VideoReport{static_cast<std::int64_t>(frames.size()), 0, count_late(frames, false)};
}

std::int64_t count_late(const std::vector<FrameTime>& frames, bool restart) {
    constexpr std::size_t kFramesToSettle = 25;
    if (frames.size() < 3) {
        return 0;
    }
    std::vector<std::int64_t> distances;
    for (std::size_t index = 1; index < frames.size(); ++index) {
        distances.push_back(frames[index].due_us - frames[index - 1].due_us);
    }
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    const std::int64_t frame_time = *middle;

    const auto lag = [&](std::size_t index) {
        return frames[index].shown_us - frames[index].due_us;
    };
    // The very first comes before the decoder's pipeline is full.
    std::int64_t base = lag(1);
    if (!restart) {
        for (std::size_t index = 1; index < std::min(frames.size(), kFramesToSettle); ++index) {
            base = std::min(base, lag(index));
        }
    }
    std::int64_t late = 0;
    for (std::size_t index = 1; index < frames.size(); ++index) {
        const std::int64_t behind = lag(index) - base;
        late += behind > frame_time ? 1 : 0;
        if (restart && (behind > frame_time || behind < 0)) {
            base = lag(index);
        }
    }
    return late;
}

}  // namespace bench
