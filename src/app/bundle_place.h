#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "common/bundle.h"
#include "common/result.h"

namespace bench {

/// A folder name under `out` that does not exist yet: "20261130T151500Z-latt-6.18.44", with "-2"
/// and so on behind it when taken. Nothing is created. `kernel` is where it was measured: absent
/// for here, empty when nobody knows and the name does without.
[[nodiscard]] Result<std::filesystem::path> choose_bundle_dir(
    const std::filesystem::path& out, const std::string& test,
    const std::optional<std::string>& kernel = {});

/// Makes the bundle there. When another run takes the name first, the next free one is taken.
[[nodiscard]] Result<BundleWriter> make_bundle(const std::filesystem::path& out,
                                               const std::string& test, const Json& header,
                                               const std::optional<std::string>& kernel = {});

}  // namespace bench
