#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "common/result.h"

namespace bench {

/// Scheduling parameters of one task as the kernel reports them (sched_getattr(2)).
struct SchedAttributes {
    std::uint32_t policy = 0;  ///< SCHED_OTHER 0, FIFO 1, RR 2, BATCH 3, IDLE 5, DEADLINE 6, EXT 7
    bool reset_on_fork = false;
    int nice = 0;
    std::uint32_t rt_priority = 0;  ///< 1..99 for FIFO and RR, else 0
    std::uint64_t runtime_ns = 0;   ///< deadline runtime; for OTHER/BATCH the custom slice (6.12+)
    std::uint64_t deadline_ns = 0;
    std::uint64_t period_ns = 0;
    std::optional<std::uint32_t> util_min;  ///< 0..1024; absent where the kernel has no uclamp
    std::optional<std::uint32_t> util_max;

    /// "other", "fifo:50", "deadline:25ms/100ms/100ms", "policy 9" for a number this tool has no
    /// name for.
    [[nodiscard]] std::string policy_text() const;

    bool operator==(const SchedAttributes&) const = default;
};

/// Of task `tid` (0: the caller). Falls back to nothing: a kernel without the call (before 3.14) is
/// an Error.
[[nodiscard]] Result<SchedAttributes> get_sched_attributes(pid_t tid = 0);

/// PR_GET_TIMERSLACK of the calling thread, in nanoseconds.
[[nodiscard]] std::uint64_t timer_slack_ns();

/// What one worker really ran under, read back from the kernel.
struct WorkerReadback {
    SchedAttributes sched;
    std::string cpus_allowed;  ///< list format
    std::uint64_t timer_slack_ns = 0;

    bool operator==(const WorkerReadback&) const = default;
};

/// Reads the calling thread's own.
[[nodiscard]] Result<WorkerReadback> read_back_self();

}  // namespace bench
