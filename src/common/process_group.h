#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/result.h"
#include "common/sched_policy.h"
#include "common/stop_source.h"
#include "common/sysfs.h"
#include "common/worker_settings.h"

namespace bench {

/// Kernel accounting of one worker between the start barrier and its end.
struct WorkerAccounting {
    std::optional<std::uint64_t>
        run_delay_ns;  ///< time runnable but waiting for a CPU (schedstat); absent without it
    std::optional<std::uint64_t> cpu_time_ns;
    std::uint64_t voluntary_switches = 0;
    std::uint64_t involuntary_switches = 0;
};

/// How a worker ended before it should have.
struct WorkerDeath {
    std::uint32_t index = 0;
    pid_t pid = 0;
    int signal = 0;     ///< 0 when it exited
    int exit_code = 0;  ///< when signal is 0
    /// "client 3 (pid 4711) was killed by SIGSEGV".
    [[nodiscard]] std::string message(std::string_view noun) const;
};

enum class WorkerKind { process, thread };

/// What a set of workers needs of the system, to be asked for before anything starts.
struct WorkerNeeds {
    std::uint64_t workers = 0;
    WorkerKind kind = WorkerKind::process;
    std::uint64_t parent_fds = 0;  ///< descriptors the parent will hold, beside what it holds now
};

/// Raises the soft RLIMIT_NOFILE up to the hard one when that is enough; an Error names the limit
/// (RLIMIT_NOFILE hard, RLIMIT_NPROC, pids.max of the cgroup, kernel.pid_max, kernel.threads-max),
/// how much is needed and how much allowed.
[[nodiscard]] Status reserve_for_workers(const WorkerNeeds& needs, const SystemRoot& system);

/// N workers that start together. Processes: forked by this thread, in a process group of their own
/// but in this session (the same autogroup), killed by the kernel when this process dies in any
/// way, holding only the descriptors named for them besides 0, 1 and 2. SIGPIPE is ignored in them,
/// other signals are as they were before StopSource took them.
class WorkerGroup {
  public:
    struct Options {
        std::uint32_t count = 1;
        WorkerKind kind = WorkerKind::process;
        std::string noun = "worker";  ///< for messages, "client", and the task name, "bench-client"
        /// Descriptors worker i keeps open; everything else above 2 is closed in it. Ignored for
        /// threads.
        std::function<std::vector<int>(std::uint32_t)> keep_fds;
        /// Policy, nice, CPU and the like of every worker, applied after `prepare`. One that the
        /// kernel refuses fails the start with the cause.
        WorkerSettings settings;
        /// Runs in each worker before it reports ready; an Error fails the start.
        std::function<Status(std::uint32_t)> prepare;
        /// The worker's work, after the common start. A process exits with what it returns (0:
        /// well).
        std::function<int(std::uint32_t)> body;
    };

    /// Starts all of them and waits until each is ready. When fork or clone fails half way, or a
    /// worker dies or its prepare fails, all are killed and reaped and the Error (not_started)
    /// tells how many had started and which limit it was.
    [[nodiscard]] static Result<WorkerGroup> start(Options options, StopSource& stop,
                                                   const SystemRoot& system);

    WorkerGroup(WorkerGroup&&) noexcept;
    WorkerGroup& operator=(WorkerGroup&&) noexcept;
    WorkerGroup(const WorkerGroup&) = delete;
    WorkerGroup& operator=(const WorkerGroup&) = delete;
    /// Kills and reaps whatever is left. Threads can't be killed: the body must end when its
    /// channel is closed.
    ~WorkerGroup();

    /// Lets all of them go at once (a futex in shared memory).
    void release();

    /// A worker that has ended though finish() was not called; never waits.
    [[nodiscard]] std::optional<WorkerDeath> find_death();

    /// Waits until all have ended by themselves, at most `timeout` (then an Error, and they are
    /// killed). An Error names a worker that did not end well.
    [[nodiscard]] Status finish(Duration timeout);

    [[nodiscard]] std::uint32_t count() const;
    [[nodiscard]] pid_t pid(std::uint32_t index) const;  ///< thread id for threads
    /// Read back by each worker itself before the start.
    [[nodiscard]] const WorkerReadback& readback(std::uint32_t index) const;
    /// Written by each worker when its body has returned; valid after finish().
    [[nodiscard]] const WorkerAccounting& accounting(std::uint32_t index) const;

  private:
    struct Impl;
    explicit WorkerGroup(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace bench
