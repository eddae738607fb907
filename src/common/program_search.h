#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace bench {

/// Where PATH leads for `name`, as execvp(3) would find it; a name with a slash is taken as it is.
/// nullopt when there is no executable file.
[[nodiscard]] std::optional<std::filesystem::path> find_program(std::string_view name);

}  // namespace bench
