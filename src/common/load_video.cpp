#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <cerrno>
#include <fstream>
#include <sstream>

#include "common/file_tail.h"
#include "common/load_supervised.h"
#include "common/program_search.h"
#include "common/video_report.h"

namespace bench {
namespace {

enum class Player { mpv, ffmpeg };

Result<Player> find_player() {
    if (find_program("mpv")) {
        return Player::mpv;
    }
    if (find_program("ffmpeg")) {
        return Player::ffmpeg;
    }
    return Error{ENOENT, "find", "mpv or ffmpeg", "install one: apt-get install mpv"};
}

/// Decodes the first frame: a film that can't be played is known before the clock starts.
std::vector<std::string> probe_arguments(Player player, const std::string& film) {
    if (player == Player::mpv) {
        return {"mpv", "--no-config", "--vo=null", "--no-audio", "--hwdec=no", "--frames=1", film};
    }
    return {"ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-i",   "file:" + film,
            "-map",   "0:v:0",    "-frames:v",    "1",         "-f",    "null", "-"};
}

std::vector<std::string> play_arguments(Player player, const std::string& film,
                                        const std::string& frames) {
    if (player == Player::mpv) {
        return {"mpv",
                "--no-config",
                "--input-terminal=no",
                "--vo=null",
                "--ao=null",
                "--hwdec=no",
                "--msg-time",
                "--term-status-msg=" + std::string(kMpvStatus),
                film};
    }
    return {"ffmpeg",
            "-nostdin",
            "-hide_banner",
            "-nostats",
            "-loglevel",
            "error",
            "-re",
            "-i",
            "file:" + film,
            "-map",
            "0:v:0",
            "-vf",
            std::string(kFfmpegStampFilter),
            "-fps_mode",
            "passthrough",
            "-enc_time_base",
            "1:1000000",
            "-c:v",
            "wrapped_avframe",
            "-flush_packets",
            "1",
            "-f",
            "framecrc",
            "file:" + frames};
}

Status check_readable(const std::string& film) {
    const Fd file(::open(film.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid()) {
        return errno_error("open", film, "film of the load");
    }
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(film, ignored)) {
        return plain_error("open", film, "the film of the load is no file");
    }
    return {};
}

/// The last line that says something.
std::string last_words(const std::filesystem::path& path) {
    constexpr std::size_t kEnough = 2000;
    std::istringstream lines(file_tail(path, kEnough));
    std::string words;
    for (std::string line; std::getline(lines, line);) {
        // mpv ends with a general "Exiting... (Errors when loading file)".
        if (!line.empty() && !line.starts_with("Exiting")) {
            words = line;
        }
    }
    return words;
}

Status probe(Player player, const std::string& film, const Guardian& folder) {
    constexpr int kPatienceMs = 60'000;
    Guardian::Options options;
    options.outlived_by = &folder;
    SupervisedCommand command;
    command.argv = probe_arguments(player, film);
    command.output = folder.scratch() / "probe";
    options.commands.push_back(command);
    Result<Guardian> guardian = Guardian::start(std::move(options));
    if (!guardian) {
        return guardian.error();
    }
    pollfd fd{guardian->event_fd(), POLLIN, 0};
    while (::poll(&fd, 1, kPatienceMs) < 0 && errno == EINTR) {
    }
    const std::vector<SupervisedExit> exits = guardian->poll_exits();
    if (exits.empty()) {
        return plain_error("play", film, command.argv[0] + " did not decode a frame in 60s");
    }
    if (!exits[0].clean()) {
        const std::string words = last_words(command.output);
        return plain_error("play", film,
                           fmt::format("{} can't ({}){}{}", command.argv[0], exits[0].text(),
                                       words.empty() ? "" : ": ", words));
    }
    return {};
}

std::vector<Metric> video_metrics(Player player) {
    const bool mpv = player == Player::mpv;
    return {
        {"frames_played", "1", Better::higher, "Frames of the film that each player of it showed."},
        {"frames_dropped", "1", Better::lower,
         mpv ? "Frames that mpv dropped, before or after decoding, to keep time."
             : "Always 0: ffmpeg drops no frame, see frames_late."},
        {"frames_late", "1", Better::lower,
         mpv ? "Frames that mpv showed more than one frame's time after they were due; its clock "
               "starts anew after each."
             : "Frames that ffmpeg had decoded more than one frame's time after they were due."},
    };
}

std::string read_all(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// Adds one value a copy to each series; none at all where a copy told of nothing.
void measure(Player player, const std::vector<std::filesystem::path>& told, LoadOutcome& outcome) {
    std::vector<Series> series;
    for (const Metric& metric : video_metrics(player)) {
        series.push_back(Series{metric, {}, {}, {}, {}});
    }
    bool complete = true;
    for (std::size_t copy = 0; copy < told.size(); ++copy) {
        const std::string text = read_all(told[copy]);
        const auto report =
            player == Player::mpv ? read_mpv_status(text) : read_ffmpeg_frames(text);
        if (!report) {
            outcome.taints.push_back(fmt::format("video copy {} showed no frame", copy + 1));
            complete = false;
            continue;
        }
        series[0].values.push_back(static_cast<double>(report->played));
        series[1].values.push_back(static_cast<double>(report->dropped));
        series[2].values.push_back(static_cast<double>(report->late));
    }
    if (!complete) {
        for (Series& one : series) {
            one.values.clear();
        }
    }
    outcome.series = std::move(series);
}

}  // namespace

Result<LoadPlan> plan_video(const LoadOptions& options) {
    constexpr Duration kTimeToSayGoodbye = std::chrono::seconds(2);
    const std::string film = std::filesystem::absolute(options.spec.argument).string();
    const Result<Player> player = find_player();
    if (!player) {
        return player.error();
    }
    if (const Status readable = check_readable(film); !readable) {
        return readable.error();
    }
    Result<Guardian> folder = make_load_folder();
    if (!folder) {
        return folder.error();
    }
    if (const Status playable = probe(*player, film, *folder); !playable) {
        return playable.error();
    }
    const std::filesystem::path scratch = folder->scratch();
    LoadPlan plan;
    plan.folder.emplace(std::move(folder).value());
    plan.grace = kTimeToSayGoodbye;
    plan.metrics = video_metrics(*player);
    std::vector<std::filesystem::path> told;
    for (std::int64_t copy = 0; copy < options.copies; ++copy) {
        const std::filesystem::path frames = scratch / fmt::format("frames-{}", copy);
        SupervisedCommand command;
        command.argv = play_arguments(*player, film, frames.string());
        command.environment = {"TMPDIR=" + scratch.string()};
        command.output = scratch / fmt::format("output-{}", copy);
        told.push_back(*player == Player::mpv ? command.output : frames);
        plan.commands.push_back(std::move(command));
    }
    plan.measure = [player = *player, told](LoadOutcome& outcome) {
        measure(player, told, outcome);
    };
    return plan;
}

}  // namespace bench
