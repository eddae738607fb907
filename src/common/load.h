#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/clock.h"
#include "common/metric.h"
#include "common/result.h"
#include "common/sysfs.h"

namespace bench {

enum class LoadKind { none, spin, pipe, compile, video, command };

/// What --load asks for.
struct LoadSpec {
    LoadKind kind = LoadKind::none;
    std::optional<std::int64_t>
        amount;  ///< spin: processes, pipe: groups, compile: jobs; absent: by allowed CPUs
    std::string argument;       ///< video: the file; command: the shell command
    std::string text = "none";  ///< as asked, for the variant column
};

/// The loads:
/// - spin: N busy processes a copy, by default one for each CPU this process may use.
/// - pipe: GROUPS groups (default 1) of 10 senders and 10 receivers, all processes; each sender
///   writes a message of 100 bytes to the pipe of each receiver in turn, for ever.
/// - compile: make -jJOBS (default: one for each CPU this process may use) of a generated C
/// program,
///   cleaned and built again, for ever; a tree for each copy.
/// - video: a film in real time, decoded but not shown, by mpv or else ffmpeg.
/// - a shell command, run by /bin/sh -c, with TMPDIR below the load's folder.
/// Each copy is a process group of its own in this session.
///
/// Reads none | spin[:N] | pipe[:GROUPS] | compile[:JOBS] | video:FILE | any shell command.
/// N 1..100,000. A lone word that is one of the names never is a command; an empty text is refused.
[[nodiscard]] Result<LoadSpec> parse_load(std::string_view text);

struct LoadOptions {
    LoadSpec spec;
    std::int64_t copies = 1;  ///< --load-count
    bool own_session =
        false;  ///< --load-session own: one session, so one autogroup, for all copies
};

/// How the load fared.
struct LoadOutcome {
    std::vector<Series> series;       ///< what the load itself measured: frames played, dropped
    std::vector<std::string> taints;  ///< "load ended at t=1.2s", "load failed: exit status 2"
    std::optional<int>
        first_failure;        ///< wait status of the first copy that did not end well by itself
    std::string output_tail;  ///< last 4 KiB of what it printed, when it failed
};

/// A load beside the measured workers. Prepared (files generated, programs found) before the clock
/// starts; its whole process tree, output and files are gone after stop() or when this process
/// dies.
class Load {
  public:
    virtual ~Load() = default;
    Load() = default;
    Load(const Load&) = delete;
    Load& operator=(const Load&) = delete;

    [[nodiscard]] virtual Status start() = 0;
    /// Readable once a copy has ended; -1 for none. Valid after start().
    [[nodiscard]] virtual int event_fd() const = 0;
    /// Ends it. `started`: when the cell began, for the times in the taints. A load that ended by
    /// itself before is an early end: taint.
    [[nodiscard]] virtual Result<LoadOutcome> stop(TimePoint started) = 0;
    /// The metrics this load adds to a cell.
    [[nodiscard]] virtual std::vector<Metric> metrics() const { return {}; }
};

/// Checks the machine (programs found, file readable) and generates what is needed below a
/// temporary folder of its own. An Error is a not-run reason: what is missing, and in detail the
/// cure.
[[nodiscard]] Result<std::unique_ptr<Load>> prepare_load(const LoadOptions& options,
                                                         const SystemRoot& system);

}  // namespace bench
