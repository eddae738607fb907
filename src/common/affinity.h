#pragma once

#include <sys/types.h>

#include "common/cpu_set.h"
#include "common/sysfs.h"

namespace bench {

/// The CPUs that task `tid` may run on (0: the caller). The mask grows until the kernel takes it,
/// so that machines with more than 1,024 CPUs work.
[[nodiscard]] Result<CpuSet> get_affinity(pid_t tid = 0);

/// Restricts task `tid` (0: the caller) to `cpus`, then reads the mask back: an Error when the
/// kernel refused or narrowed it (EINVAL: none of them is online and allowed by the cpuset).
[[nodiscard]] Status set_affinity(const CpuSet& cpus, pid_t tid = 0);

/// /sys/devices/system/cpu/{online,possible,isolated}; nullopt when not readable.
[[nodiscard]] std::optional<CpuSet> online_cpus(const SystemRoot& system);
[[nodiscard]] std::optional<CpuSet> possible_cpus(const SystemRoot& system);
/// The empty set when none is isolated.
[[nodiscard]] std::optional<CpuSet> isolated_cpus(const SystemRoot& system);

/// What --cpus asks for, checked against the mask this process inherited: an Error (code 0) that
/// names the CPUs outside of it, offline or absent ones told apart. A set that leaves the outer
/// mask is never trimmed in silence.
[[nodiscard]] Status check_cpus_usable(const CpuSet& asked, const CpuSet& allowed,
                                       const SystemRoot& system);

}  // namespace bench
