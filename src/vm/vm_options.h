#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/units.h"
#include "runner/plan.h"
#include "vm/guest_batches.h"
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
    std::optional<std::int64_t> seeds;  ///< as asked for
    std::optional<Boots> boots;         ///< as asked for
    bool verify = false;
    std::vector<const CLI::Option*> guests_only;  ///< those that need a kernel to boot

    [[nodiscard]] bool any_guest() const;
    /// No cell runs on the host.
    [[nodiscard]] bool only_guests() const;
    /// Every cell repeats itself to the byte: seeds are its repetitions.
    [[nodiscard]] bool all_virtual() const;
    /// How many seeds each cell has in virtual time: as asked for, else enough to tell 5 % apart
    /// with one CPU (10), and 10 % with more (20).
    [[nodiscard]] std::int64_t seed_count() const;
    /// Who shares a boot: as asked for, else twice in virtual time, where a boot costs more than a
    /// cell, and per_cell in real time.
    [[nodiscard]] Boots boots_wanted() const;
};

/// --kernel, --time, --append, and all of add_guest_options().
void add_vm_options(CLI::App& app, VmOptions& options);

/// What guests are and how they are run, whatever their kernels: --vcpus, --memory, --vm-seeds,
/// --boots, --verify-determinism, --boot-timeout, --qemu.
void add_guest_options(CLI::App& app, VmOptions& options);

/// What can't hold together: an Error with object = option.
[[nodiscard]] Status check_vm_options(const VmOptions& options);

/// Reads every kernel to boot. Errors: one is none, or two are of one release, whose rows nobody
/// could tell apart.
[[nodiscard]] Result<std::vector<KernelFile>> read_kernels(const VmOptions& options);

/// How long a cell in virtual time lasts when nobody says: a look at a kernel costs the host half a
/// minute and not five.
inline constexpr Duration kVirtualDuration = std::chrono::seconds(5);

/// The axes of Plan::places; none when nothing was asked for.
[[nodiscard]] std::vector<Axis> vm_places(const VmOptions& options);

/// Whether a cell with this place runs in a guest.
[[nodiscard]] bool is_guest(const std::vector<std::pair<std::string, std::string>>& place);

}  // namespace bench
