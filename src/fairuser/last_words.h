#pragma once

#include <filesystem>
#include <string>

namespace bench::fairuser {

/// "; it printed: ..." with the end of what a command's output file holds, in one line, as reasons
/// are.
[[nodiscard]] std::string last_words(const std::filesystem::path& output);

}  // namespace bench::fairuser
