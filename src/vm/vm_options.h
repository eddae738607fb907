#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/units.h"
#include "runner/plan.h"
#include "vm/kernel_file.h"
#include "vm/qemu_command.h"

namespace bench {

/// The running kernel, as a value of --kernel.
inline constexpr const char* kHostKernel = "host";

/// Where cells run, as options of a sweep.
struct VmOptions {
    std::vector<std::string> kernels;  ///< as given
    std::vector<std::string> appends;
    GuestMachine machine;
    Duration boot_timeout = std::chrono::minutes(2);
    std::string qemu = "qemu-system-x86_64";
    std::vector<const CLI::Option*> guests_only;  ///< those that need a kernel to boot

    [[nodiscard]] bool any_guest() const;
    /// No cell runs on the host.
    [[nodiscard]] bool only_guests() const;
};

/// --kernel, --time, --vcpus, --memory, --append, --boot-timeout, --qemu.
void add_vm_options(CLI::App& app, VmOptions& options);

/// What can't hold together: an Error with object = option.
[[nodiscard]] Status check_vm_options(const VmOptions& options);

/// Reads every kernel to boot. Errors: one is none, or two are of one release, whose rows nobody
/// could tell apart.
[[nodiscard]] Result<std::vector<KernelFile>> read_kernels(const VmOptions& options);

/// The axes of Plan::places; none when nothing was asked for.
[[nodiscard]] std::vector<Axis> vm_places(const VmOptions& options);

/// Whether a cell with this place runs in a guest.
[[nodiscard]] bool is_guest(const std::vector<std::pair<std::string, std::string>>& place);

}  // namespace bench
