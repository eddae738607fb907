#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace bench {

/// When a frame was ready to be seen, and when it was due; both since points of the player's own.
struct FrameTime {
    std::int64_t shown_us = 0;
    std::int64_t due_us = 0;
};

/// What one player did.
struct VideoReport {
    std::int64_t played = 0;
    std::int64_t dropped = 0;
    std::int64_t late = 0;  ///< shown more than one frame's time after they were due
};

/// The status line that mpv is asked for, with --msg-time before it.
inline constexpr std::string_view kMpvStatus =
    "BENCH ${=estimated-frame-number} ${=playback-time} ${=frame-drop-count} "
    "${=decoder-frame-drop-count}";

/// Reads what mpv printed with kMpvStatus. Its clock starts anew after each late frame, as the
/// player's does. nullopt when no frame was shown.
[[nodiscard]] std::optional<VideoReport> read_mpv_status(std::string_view output);

/// The filter that puts wall clock and lateness of a frame into its time stamp, and the reader of
/// the framecrc(5) lines that come of it. ffmpeg drops no frame: it shows them late, and catches up
/// later. nullopt when no frame was decoded.
inline constexpr std::string_view kFfmpegStampFilter =
    "settb=1/1000000,setpts='trunc((RTCTIME-RTCSTART)/10)*1048576"
    "+clip((RTCTIME-RTCSTART)/1000-T*1000+100000\\,0\\,1048575)'";
[[nodiscard]] std::optional<VideoReport> read_ffmpeg_frames(std::string_view lines);

/// Frames that came more than one frame's time (the median distance) after they were due.
/// `restart`: the clock starts anew after each; else it is set by the best of the first frames.
[[nodiscard]] std::int64_t count_late(const std::vector<FrameTime>& frames, bool restart);

}  // namespace bench
