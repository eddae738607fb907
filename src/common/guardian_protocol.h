#pragma once

#include <array>
#include <cstdint>

namespace bench {

/// TreeUsage in a packet; below 0 is absent.
struct GuardianUsage {
    std::int64_t cpu_time_ns = 0;
    std::int64_t context_switches = -1;
    std::int64_t run_delay_ns = -1;
    std::uint32_t running = 0;
};

/// What a guardian tells its owner, one packet each.
struct GuardianEvent {
    enum class Kind : std::uint32_t {
        scratch_made,    ///< text: the six characters
        scratch_failed,  ///< value: errno
        started,         ///< value: pid of command `index`
        start_failed,    ///< value: errno, text: the call; nothing runs any more
        ready,           ///< all commands run
        exited,          ///< value: wait status, at_ns: when
        restore_failed,  ///< value: errno, index: of the file, text: the call
        removal_failed,  ///< value: errno, index: of the folder
        cgroup_failed,   ///< value: errno, index: of the cgroup, text: the call
        used,            ///< usage: as an answer, and once more when nothing runs any more
    };
    Kind kind = Kind::ready;
    std::uint32_t index = 0;
    std::int32_t value = 0;
    std::int64_t at_ns = 0;
    std::array<char, 24> text{};
    GuardianUsage usage{};
};

/// What an owner tells its guardian: to stop, or to say what was used. Its end of the link closing
/// means: stop at once.
struct GuardianOrder {
    enum class Kind : std::uint32_t { stop, account };
    Kind kind = Kind::stop;
    std::int32_t signal = 0;
    std::int64_t grace_ns = 0;
};

/// How the guardian is called in process lists; an outer guardian knows an inner one by it.
inline constexpr char kGuardianName[] = "bench-guardian";

}  // namespace bench
