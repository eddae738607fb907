#pragma once

#include <string>

#include "common/worker_arena.h"

namespace bench {

/// What a worker needs to know, of either kind.
struct WorkerJob {
    const WorkerGroup::Options* options = nullptr;
    const WorkerArena* arena = nullptr;
    std::string schedstat_path;
    int notify_fd = -1;  ///< a byte: a worker failed, or (threads) the last one is ready
};

/// The life of a forked worker. `parent` is the pid before the fork, `group` the process group to
/// join, 0 to found one.
[[noreturn]] void run_process_worker(const WorkerJob& job, std::uint32_t index, pid_t parent,
                                     pid_t group);

/// The life of a worker that is a thread.
void run_thread_worker(const WorkerJob& job, std::uint32_t index);

}  // namespace bench
