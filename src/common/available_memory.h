#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/sysfs.h"

namespace bench {

/// Bytes that processes may still take: MemAvailable and free swap of /proc/meminfo. Absent when
/// the machine does not tell.
[[nodiscard]] std::optional<std::uint64_t> available_memory(const SystemRoot& system);

/// An Error when `needed` bytes are more than available_memory(). A machine that does not tell is
/// taken to have enough. `purpose`: "for 3 clients"; `cure`: what would need less.
[[nodiscard]] Status check_available_memory(std::uint64_t needed, const std::string& purpose,
                                            const std::string& cure, const SystemRoot& system);

}  // namespace bench
