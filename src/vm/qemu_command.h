#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/units.h"

namespace bench {

/// How time passes in a guest.
enum class GuestTime {
    virtual_time,  ///< an instruction takes 2 ns, idle time is skipped: exact
    real_time,     ///< as on the host, and as noisy
};

/// What a guest is made of.
struct GuestMachine {
    GuestTime time = GuestTime::virtual_time;
    std::int64_t vcpus = 1;
    ByteSize memory = {256U << 20U};  ///< whole MiB
    std::string append = {};          ///< words added to the kernel's command line, as they are
    bool operator==(const GuestMachine&) const = default;
};

/// The files of one boot. Any name will do.
struct BootFiles {
    std::filesystem::path kernel, initramfs;
    std::filesystem::path console;  ///< what the guest prints is written here
    std::filesystem::path channel;  ///< the memory both see; exists
    std::uint64_t channel_bytes = 0;
};

/// QEMU's arguments, its own name first.
[[nodiscard]] std::vector<std::string> qemu_arguments(const std::string& program,
                                                      const GuestMachine& machine,
                                                      const BootFiles& files);

/// The kernel's command line: what every guest gets, and `append` behind it, where it can override.
[[nodiscard]] std::string kernel_command_line(const GuestMachine& machine);

/// Whether workloads must PAUSE in it: its CPUs take turns on one of the host, and only a CPU that
/// rests lets go.
[[nodiscard]] bool pauses(const GuestMachine& machine);

/// The longest that x86 kernels take without cutting it off.
inline constexpr std::size_t kLongestCommandLine = 2047;

/// What makes rows of guests differ, for the variant column.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> guest_variant(
    const GuestMachine& machine);

}  // namespace bench
