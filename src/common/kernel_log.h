#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/sysfs.h"

namespace bench {

/// The kernel's log as far as it is still kept: /dev/kmsg when readable, else /var/log/dmesg when
/// that tells of `release`'s boot. nullopt: neither can be read.
[[nodiscard]] std::optional<std::string> read_kernel_log(const SystemRoot& system,
                                                         std::string_view release);

/// The message in a line of either: without level, sequence number and time stamp.
[[nodiscard]] std::string_view log_message(std::string_view line);

}  // namespace bench
