#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "common/result.h"
#include "fairuser/arena.h"
#include "fairuser/options.h"

namespace bench::fairuser {

/// What the leader of a user's processes runs with. It is the parent, or the subreaper, of all of
/// them; its memory but the arena is a copy.
struct UserRun {
    UserSpec user;
    std::size_t index = 0;  ///< in the arena
    Arena* arena = nullptr;

    [[nodiscard]] UserSlot& slot() const { return arena->users[index]; }
    [[nodiscard]] JobSlot& job(std::size_t number) const { return arena->job(index, number); }
    void wait_for_start() const { wait_at_gate(arena->gate[0], slot()); }
};

/// A workload as one user runs it: `body` in the leader. It starts processes with start_child(),
/// waits for them with wait_for_children() and returns 0, or fails the slot. Its processes sleep at
/// the gate before they begin; `waiting` is how many do.
struct Workload {
    std::function<int(const UserRun&)> body;
    std::uint32_t waiting = 1;
    std::size_t job_slots = 0;             ///< that it uses in the arena
    std::uint64_t tasks = 0;               ///< processes and threads at most, as far as known
    std::uint64_t files = 0;               ///< descriptors of its process with the most
    std::vector<std::string> environment;  ///< as SupervisedCommand has it
    std::filesystem::path folder;          ///< to start in; empty: where we are
};

/// Busy loops that never sleep. Work: a turn of the loop, of about a microsecond.
[[nodiscard]] Workload spin_workload(const UserSpec& user);
/// Pairs that pass a token through two pipes. Work: a passing, which is a context switch.
[[nodiscard]] Workload pipe_workload(const UserSpec& user);
/// A chat server and its clients on 127.0.0.1, a thread per connection and direction at both ends.
/// `port` 0: the kernel's choice. Work: a message sent or received.
[[nodiscard]] Workload chat_workload(const ChatSize& size, std::uint16_t port);
/// A program, found before by its path or in PATH. Work: itself, once.
[[nodiscard]] Workload program_workload(std::vector<std::string> argv);

/// Forks a child that dies with its parent and ends with what `body` returns; signals as a program
/// expects them. -1 with the slot failed when that is refused.
pid_t start_child(const UserRun& run, const std::function<int()>& body);

/// Waits until every child has ended; the exit status of a first one that ended badly (128 + signal
/// when killed), else 0. The others are stopped once one has: a user without one of its jobs
/// measures nothing.
[[nodiscard]] int wait_for_children();

}  // namespace bench::fairuser
