#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/fd.h"
#include "common/result.h"

namespace bench {

/// A command for a guardian to run.
struct SupervisedCommand {
    std::vector<std::string> argv;  ///< argv[0] is looked up in PATH
    std::function<int()>
        body;  ///< instead of argv: runs in the forked child, which exits with what it returns
    std::vector<std::string> environment;     ///< "KEY=value", added to or replacing this process's
    std::filesystem::path working_directory;  ///< empty: this process's
    std::filesystem::path output;  ///< stdout and stderr go here; empty: they are inherited
    bool own_session =
        false;  ///< setsid: another autogroup. Otherwise a process group of its own in this session
    std::vector<int> keep_fds;  ///< passed on beside 0, 1, 2
};

struct SupervisedExit {
    std::size_t index = 0;  ///< of the command
    TimePoint at;
    int wait_status = 0;  ///< as wait(2) gives it
    [[nodiscard]] bool clean() const { return wait_status == 0; }
    /// "exit status 2", "killed by SIGTERM".
    [[nodiscard]] std::string text() const;
};

/// A small process, in a process group of its own, that is the parent and child subreaper of the
/// commands it runs. It outlives us by the moment it needs: when this process dies, in any way, it
/// kills every descendant, also those that have left for another group or session, removes the
/// folders it was given, and ends. Standard input of commands is /dev/null.
class Guardian {
  public:
    struct Options {
        std::vector<SupervisedCommand> commands;
        std::vector<std::filesystem::path>
            remove_afterwards;  ///< folders, removed with all they hold
    };

    /// Starts guardian and commands; an Error when one can't be executed (ENOENT, EACCES), with
    /// nothing left running.
    [[nodiscard]] static Result<Guardian> start(Options options);

    Guardian(Guardian&& other) noexcept;
    Guardian& operator=(Guardian&& other) noexcept;
    Guardian(const Guardian&) = delete;
    Guardian& operator=(const Guardian&) = delete;
    ~Guardian();  ///< stop(0)

    /// Readable once a command has ended (and when the guardian is gone).
    [[nodiscard]] int event_fd() const { return events_.get(); }

    /// The commands that have ended so far, in that order. Never waits.
    [[nodiscard]] const std::vector<SupervisedExit>& poll_exits();

    /// Process group of a command (its pid).
    [[nodiscard]] pid_t pid(std::size_t index) const { return pids_.at(index); }

    /// `signal` to the group of each command that still runs; after `grace`, or as soon as all have
    /// ended, SIGKILL to every descendant. Returns when nothing of them is left and the folders are
    /// gone.
    [[nodiscard]] Status stop(Duration grace, int signal = 15);

  private:
    Guardian() = default;
    Fd control_;  ///< closing it tells the guardian to kill
    Fd events_;
    pid_t guardian_ = -1;
    std::vector<pid_t> pids_;
    std::vector<SupervisedExit> exits_;
};

}  // namespace bench
