#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "common/sysfs.h"

namespace bench {

/// The configuration that the running kernel was built with.
struct KernelConfig {
    std::string source;  ///< "/proc/config.gz", "/boot/config-6.1.0-9-amd64"
    std::string text;

    /// "y", "m", "250" or a string without its quotes; "n" for "is not set"; nullopt when the
    /// option is not mentioned. `option` with CONFIG_.
    [[nodiscard]] std::optional<std::string> value(std::string_view option) const;
    [[nodiscard]] bool is_set(std::string_view option) const { return value(option) == "y"; }
    /// Every option that has a bearing on scheduling, as {"CONFIG_HZ": "250", ...}.
    [[nodiscard]] nlohmann::ordered_json scheduling_options() const;
};

/// From /proc/config.gz, else the file of this release in /boot or /lib/modules. A file that is cut
/// off or no configuration is passed over.
[[nodiscard]] std::optional<KernelConfig> read_kernel_config(const SystemRoot& system,
                                                             std::string_view release);

}  // namespace bench
