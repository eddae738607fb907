#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/units.h"

namespace bench {

/// What /proc/PID/stat says of a process.
struct ProcessEntry {
    pid_t pid = 0;
    pid_t parent = 0;
    char state = '?';
    std::string name;
    /// Of children it has waited for, with theirs, in whole clock ticks (10 ms), rounded down.
    Duration waited_cpu_time{};
    std::uint64_t waited_faults = 0;  ///< their page faults: any that ever ran has had some
    std::uint64_t start_ticks = 0;    ///< clock ticks after boot; with the pid it names a process

    [[nodiscard]] bool ended() const { return state == 'Z' || state == 'X'; }
};

/// nullopt: not such a line. The name may hold blanks and parentheses.
[[nodiscard]] std::optional<ProcessEntry> parse_process_stat(std::string_view text);

}  // namespace bench
