#pragma once

#include <cstdint>
#include <optional>

#include "common/clock.h"

namespace bench {

/// What the processes of a tree have used together: those that were waited for, by their parents or
/// by the guardian they came to as orphans, and those that run. Absent is not measured.
struct TreeUsage {
    /// Of all that ever ran. While some run, waited-for children of theirs are counted in whole
    /// clock ticks (10 ms), and what ends during the reading may be missed until the next one;
    /// exact once nothing runs. Not in it: children of a parent that ignores SIGCHLD, which the
    /// kernel forgets.
    Duration cpu_time{};
    std::uint32_t running = 0;  ///< processes alive at the reading
    /// Voluntary and involuntary together; present once nothing runs: the kernel tells those of
    /// waited-for children no sooner.
    std::optional<std::uint64_t> context_switches;
    /// Time runnable but waiting, of the threads that live; present while no process of the tree
    /// has ended (an ended one takes its own along).
    std::optional<Duration> run_delay;
};

}  // namespace bench
