#pragma once

#include <filesystem>
#include <string>

#include "common/result.h"

namespace bench {

/// What a Debian kernel package holds that a guest needs.
struct KernelPackage {
    std::string image;   ///< ./boot/vmlinuz-RELEASE
    std::string config;  ///< ./boot/config-RELEASE; empty when there is none
};

/// Unpacks both in memory. Errors: no package, damaged, a package without a kernel.
[[nodiscard]] Result<KernelPackage> read_kernel_package(const std::filesystem::path& path);

}  // namespace bench
