#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace bench {

/// The last `bytes` of a file from the start of a line on, without line feeds at its end; empty
/// when it can't be read. For the last words of a command.
[[nodiscard]] std::string file_tail(const std::filesystem::path& path, std::size_t bytes);

}  // namespace bench
