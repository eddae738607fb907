#pragma once

#include <memory>
#include <vector>

#include "common/bundle.h"
#include "common/guardian.h"
#include "common/stop_source.h"
#include "runner/executor.h"
#include "vm/kernel_file.h"
#include "vm/vm_options.h"

namespace bench {

/// An executor that sends each cell to where it belongs: to `here`, or into a guest; null when no
/// cell runs in one. `header` gets what guests are made of. An Error: what they need is not there.
/// All arguments must outlive it.
[[nodiscard]] Result<std::unique_ptr<Executor>> with_guests(Executor& here,
                                                            const VmOptions& options,
                                                            const std::vector<KernelFile>& kernels,
                                                            StopSource& stop,
                                                            const Guardian& keeper, Json& header);

}  // namespace bench
