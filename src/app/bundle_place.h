#pragma once

#include <filesystem>
#include <string>

#include "common/result.h"

namespace bench {

/// A folder name under `out` that does not exist yet: "20261130T151500Z-latt-6.18.44", with "-2"
/// and so on behind it when taken. Nothing is created.
[[nodiscard]] Result<std::filesystem::path> choose_bundle_dir(const std::filesystem::path& out,
                                                              const std::string& test);

}  // namespace bench
