#include "common/video_report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace bench {
namespace {

constexpr std::int64_t kFrameUs = 40'000;

std::vector<FrameTime> on_time(std::size_t count) {
    std::vector<FrameTime> frames;
    for (std::size_t index = 0; index < count; ++index) {
        const auto due = static_cast<std::int64_t>(index) * kFrameUs;
        frames.push_back({due + 123'000, due});
    }
    return frames;
}

TEST(CountLate, FramesOnTimeAreNotLate) {
    EXPECT_EQ(count_late(on_time(100), true), 0);
    EXPECT_EQ(count_late(on_time(100), false), 0);
    EXPECT_EQ(count_late({}, false), 0);
}

TEST(CountLate, AFrameMayBeLateByItsOwnTimeAndNoMore) {
    std::vector<FrameTime> frames = on_time(100);
    frames[50].shown_us += kFrameUs;
    EXPECT_EQ(count_late(frames, false), 0);
    frames[50].shown_us += 1;
    EXPECT_EQ(count_late(frames, false), 1);
    EXPECT_EQ(count_late(frames, true), 1);
}

TEST(CountLate, APlayerThatSlowsDownIsJudgedByItsNewClock) {
    std::vector<FrameTime> frames = on_time(100);
    for (std::size_t index = 50; index < frames.size(); ++index) {
        frames[index].shown_us += 2 * kFrameUs;
    }
    EXPECT_EQ(count_late(frames, true), 1);
    EXPECT_EQ(count_late(frames, false), 50);
}

TEST(CountLate, ThePipelineOfTheDecoderIsNoLateness) {
    std::vector<FrameTime> frames = on_time(100);
    frames.front().shown_us -= 2 * kFrameUs;  // before the pipeline is full
    frames.back().shown_us -= 2 * kFrameUs;   // flushed at the end
    EXPECT_EQ(count_late(frames, false), 0);
}

std::string mpv_line(int frame, double clock, int drops, int decoder_drops) {
    return fmt::format("\r\r\x1b[K[  {:.6f}] BENCH {} {:.6f} {} {}", clock, frame, frame * 0.04,
                       drops, decoder_drops);
}

TEST(MpvStatus, CountsFramesShownDroppedAndLate) {
    std::string text = "[  0.040521]  (+) Video --vid=1\n[  0.05] BENCH  (unavailable) 0 0\n";
    for (int frame = 0; frame < 50; ++frame) {
        if (frame != 20) {
            text +=
                mpv_line(frame, frame * 0.04 + (frame == 30 ? 0.35 : 0.3), frame < 21 ? 0 : 1, 0);
        }
    }
    text += mpv_line(50, 50 * 0.04 + 0.4, 1, 2);
    text += mpv_line(50, 50 * 0.04 + 9.0, 1, 2);  // drawn again
    text += "\nExiting... (Quit)\n";
    const auto report = read_mpv_status(text);
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->dropped, 3);
    EXPECT_EQ(report->played, 51 - 3);
    EXPECT_EQ(report->late, 2);
}

TEST(MpvStatus, NoFrameIsNotZeroFrames) {
    EXPECT_FALSE(read_mpv_status("").has_value());
    EXPECT_FALSE(read_mpv_status("[  0.0] Failed to open x.\nExiting...\n").has_value());
}

TEST(FfmpegFrames, CountsFramesShownAndLate) {
    std::string text = "#software: Lavf59\n#tb 0: 1/1000000\n";
    for (std::int64_t frame = 0; frame < 100; ++frame) {
        const std::int64_t late_ms = frame == 0 ? 0 : frame >= 60 && frame < 65 ? 200 : 66;
        const std::int64_t wall_ms = frame * 40 + late_ms;
        const std::int64_t stamp = wall_ms * 100 * 1'048'576 + late_ms + 100'000;
        text += fmt::format("0, {0:>10}, {0:>10},        1,      472, 0x33a517fa\n", stamp);
    }
    const auto whole = read_ffmpeg_frames(text);
    ASSERT_TRUE(whole.has_value());
    EXPECT_EQ(whole->played, 100);
    EXPECT_EQ(whole->dropped, 0);
    EXPECT_EQ(whole->late, 5);
    const auto cut = read_ffmpeg_frames(text.substr(0, text.size() - 30));
    ASSERT_TRUE(cut.has_value());
    EXPECT_EQ(cut->played, 99);
    EXPECT_FALSE(read_ffmpeg_frames("#tb 0: 1/1000000\n").has_value());
}

}  // namespace
}  // namespace bench
