#pragma once

#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "common/process_group.h"
#include "common/worker_main.h"

namespace bench {

/// The parent's side of a group of workers. Starting it is in worker_start.cpp, ending it in
/// process_group.cpp.
struct WorkerGroup::Impl {
    Options options;
    WorkerArena arena;
    WorkerJob job;
    std::vector<pid_t> pids;
    std::vector<WorkerReadback> readbacks;
    std::optional<WorkerDeath> death;  ///< the first one; one that went badly takes precedence

    // Processes.
    std::unordered_map<pid_t, std::uint32_t> living;
    pid_t group = 0;

    // Threads.
    std::vector<std::thread> threads;

    Impl(Options asked, WorkerArena memory, const SystemRoot& system)
        : options(std::move(asked)), arena(std::move(memory)) {
        job.options = &options;
        job.arena = &arena;
        job.schedstat_path = system.resolve("/proc/thread-self/schedstat").string();
    }

    Status start(StopSource& stop, const SystemRoot& system);
    Status fork_all(StopSource& stop, const SystemRoot& system);
    Status create_threads(StopSource& stop, const SystemRoot& system);
    Status wait_ready(int fd, StopSource& stop);
    Error start_error(int code, const char* call, const SystemRoot& system) const;
    Error signal_error(const StopSource& stop, std::size_t started) const;
    Error early_death();

    void open_barrier(Go how);
    void note_death(const WorkerDeath& found);
    void note_exit(pid_t pid, int status);
    void reap();
    void kill_all();
    void join_all();
    void end_all();

    [[nodiscard]] bool all_ended() const {
        return arena.control().ended.load(std::memory_order_acquire) == options.count;
    }
    [[nodiscard]] std::string nouns() const { return options.noun + "s"; }
    Status finish_processes(TimePoint until, Duration timeout);
    Status finish_threads(TimePoint until, Duration timeout);
    [[nodiscard]] Error timeout_error(std::uint32_t index, std::size_t others,
                                      Duration timeout) const;
};

/// waitpid(2) with EINTR retried.
pid_t wait_retrying(pid_t pid, int& status, int flags);

}  // namespace bench
