#pragma once

#include <cstdint>

#include "common/sysfs.h"
#include "latt/options.h"

namespace bench::latt {

/// Whether the machine lets `clients` run: descriptors (the soft limit is raised if that is
/// enough), processes or threads, memory. An Error names the limit, the need, and the cure.
[[nodiscard]] Status check_requirements(const Options& options, std::uint64_t clients,
                                        const SystemRoot& system);

/// The memory part: what all clients at work at once surely touch against MemAvailable and free
/// swap. A machine that does not tell is taken to have enough.
[[nodiscard]] Status check_memory(const Options& options, std::uint64_t clients,
                                  const SystemRoot& system);

}  // namespace bench::latt
