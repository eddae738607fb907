#pragma once

#include <string>

#include "common/process_group.h"

namespace bench {

/// The calling thread's totals so far. `schedstat_path` is /proc/thread-self/schedstat as resolved
/// beforehand; run_delay_ns is absent when it can't be read or the kernel keeps no such account.
[[nodiscard]] WorkerAccounting read_own_accounting(const std::string& schedstat_path);

/// What was added between two readings; a field absent in either is absent.
[[nodiscard]] WorkerAccounting accounting_since(const WorkerAccounting& before,
                                                const WorkerAccounting& after);

}  // namespace bench
