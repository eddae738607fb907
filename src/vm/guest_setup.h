#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/cpu_set.h"
#include "vm/guest_batches.h"
#include "vm/kernel_file.h"
#include "vm/qemu_command.h"

namespace bench {

/// What every guest of a run has in common.
struct GuestSetup {
    std::filesystem::path qemu;
    std::string qemu_version;         ///< the first line of `qemu --version`
    std::filesystem::path init;       ///< bench-static
    GuestMachine machine;             ///< but for `append`, which a place has
    Duration boot_timeout{};          ///< of the host's time, until the guest's init lives
    std::vector<KernelFile> kernels;  ///< every one that a place may name
    Boots boots = Boots::per_cell;
    /// Each cell is run twice, a third time when that differs; two that agree count.
    bool verify = false;
    CpuSet host_cpus;  ///< for guests in virtual time, one each; not empty
};

}  // namespace bench
