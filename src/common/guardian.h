#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/fd.h"
#include "common/result.h"
#include "common/tree_usage.h"
#include "common/user_identity.h"

namespace bench {

/// How much of the end of a command's output is kept in its file: at most this, at least half.
inline constexpr std::uint64_t kOutputKept = 1U << 20U;

/// A command for a guardian to run. Its standard input is /dev/null, its signals are at their
/// defaults, none blocked; it dies with its guardian.
struct SupervisedCommand {
    std::vector<std::string> argv;  ///< argv[0] is looked up in PATH
    std::function<int()>
        body;  ///< instead of argv: runs in the forked child, which exits with what it returns
    std::vector<std::string>
        environment;  ///< "KEY=value" is added or replaces this process's, "KEY" removes it
    std::filesystem::path working_directory;  ///< empty: this process's
    /// The end of stdout and stderr is kept here (kOutputKept), read from a pipe by the guardian;
    /// all that a command printed is in it before its end is told. Empty: inherited.
    std::filesystem::path output;
    bool own_session =
        false;  ///< setsid: another autogroup. Otherwise a process group of its own in this session
    /// Index of an earlier command whose process group it joins; not together with own_session.
    std::optional<std::size_t> group_of;
    std::vector<int> keep_fds;  ///< passed on beside 0, 1, 2
    /// cgroup.procs files the child enters itself in, before it becomes `user`.
    std::vector<std::filesystem::path> join_cgroups = {};
    /// Whom it runs as, with user_environment() below `environment`; working_directory must be open
    /// to them. Absent: as this process.
    std::optional<UserIdentity> user = {};
};

struct SupervisedExit {
    std::size_t index = 0;  ///< of the command
    TimePoint at;
    int wait_status = 0;  ///< as wait(2) gives it
    [[nodiscard]] bool clean() const { return wait_status == 0; }
    /// "exit status 2", "killed by SIGTERM".
    [[nodiscard]] std::string text() const;
};

/// A file of the kernel's, and what shall stand in it again.
struct FileContent {
    std::filesystem::path path;  ///< exists; is never made
    std::string text;            ///< handed to the kernel in one write
};

/// A small process, in a process group of its own, that is the parent and child subreaper of the
/// commands it runs. It outlives us by the moment it needs: when this process dies, in any way, it
/// kills every descendant, also those that have left for another group or session, writes back the
/// files and removes the folders it was given, and ends. Guardians nest: one never kills another
/// that still cleans up.
class Guardian {
  public:
    struct Options {
        std::vector<SupervisedCommand> commands;  ///< may be empty: a guardian of folders
        std::vector<std::filesystem::path>
            remove_afterwards;  ///< folders, removed with all they hold
        /// Written back in reverse order once nothing runs any more, whether they were changed or
        /// not. Read the old text, start the guardian, and only then change the file: so there is
        /// no moment in which the change could stay.
        std::vector<FileContent> restore_afterwards = {};
        /// cgroups, parents before children, whether they exist yet or not. Once our descendants
        /// are gone, whatever is in them is killed, and they are removed in reverse order, before
        /// any file is written back.
        std::vector<std::filesystem::path> remove_cgroups_afterwards = {};
        /// Kept open by the guardian until it ends: a lock that holds until all is cleaned up.
        std::vector<int> keep_fds = {};
        /// Makes a folder of this name with six random characters added, and removes it as well.
        /// Made by the guardian, so that there is no moment in which it could be left behind.
        std::optional<std::filesystem::path> scratch_prefix;
        /// The guardian leads a session (another autogroup) that all its commands are in, unless
        /// they have their own.
        bool own_session = false;
        /// A guardian that shall clean up after this one has: not before both this process and this
        /// guardian are gone. It must be stopped later.
        const Guardian* outlived_by = nullptr;
    };

    /// Starts guardian and commands; an Error when one can't be executed (ENOENT, EACCES), with
    /// nothing left running.
    [[nodiscard]] static Result<Guardian> start(Options options);

    Guardian(Guardian&& other) noexcept;
    Guardian& operator=(Guardian&& other) noexcept;
    Guardian(const Guardian&) = delete;
    Guardian& operator=(const Guardian&) = delete;
    ~Guardian();  ///< stop(0)

    /// Readable once a command has ended (and when the guardian is gone), until poll_exits().
    [[nodiscard]] int event_fd() const { return link_.get(); }

    /// The commands that have ended so far, in that order. Never waits.
    [[nodiscard]] const std::vector<SupervisedExit>& poll_exits();

    /// The guardian was killed, and its commands with it: no exit will be told any more.
    [[nodiscard]] bool gone() const;

    /// Process of a command; also its process group, but for group_of.
    [[nodiscard]] pid_t pid(std::size_t index) const { return pids_.at(index); }

    /// What all commands of this guardian and all their descendants have used so far, also those
    /// that ran away from session, group and parent: for an account per user, a guardian per user.
    /// Looks at all of /proc (milliseconds). After stop() the total of all, exact. Exits
    /// that come in meanwhile no longer make event_fd() readable: look at poll_exits() after it. An
    /// Error when the guardian is gone.
    [[nodiscard]] Result<TreeUsage> usage();

    /// The guardian's own process id.
    [[nodiscard]] pid_t guardian_pid() const { return guardian_; }

    /// The folder made for scratch_prefix; empty without.
    [[nodiscard]] const std::filesystem::path& scratch() const { return scratch_; }

    /// `signal` to the group of each command that still runs; after `grace`, or as soon as all have
    /// ended, SIGKILL to every descendant. Returns when nothing of them is left, the files are
    /// written back and the folders gone; an Error names a file or folder that refused.
    /// poll_exits() then tells of every command. Does nothing the second time.
    [[nodiscard]] Status stop(Duration grace, int signal = 15);

  private:
    Guardian() = default;
    [[nodiscard]] Status await_start(const std::vector<SupervisedCommand>& commands,
                                     const std::filesystem::path& scratch_prefix);
    [[nodiscard]] Status await_end(TimePoint patience);
    [[nodiscard]] Status clean_up_ourselves(int wait_status);

    Fd link_;  ///< events come in, orders go out; closing it tells the guardian to kill
    pid_t guardian_ = -1;
    std::vector<pid_t> pids_;
    std::vector<SupervisedExit> exits_;
    std::filesystem::path scratch_;
    std::vector<std::filesystem::path> folders_;
    std::vector<FileContent> files_;
    std::vector<std::filesystem::path> cgroups_;
    std::optional<TreeUsage> total_;  ///< once nothing runs any more
};

}  // namespace bench
