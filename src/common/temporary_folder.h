#pragma once

#include <filesystem>
#include <string_view>

namespace bench {

/// What the name of a temporary folder begins with: $TMPDIR, or /tmp, then "NAME-". For a
/// Guardian's scratch_prefix, which adds the random end, makes the folder, and removes it whatever
/// happens.
[[nodiscard]] std::filesystem::path temporary_prefix(std::string_view name);

}  // namespace bench
