#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "common/fd.h"
#include "common/result.h"

namespace bench {

/// Opens with O_CLOEXEC, EINTR retried; a new file gets mode 0666 less the umask.
[[nodiscard]] Result<Fd> open_file(const std::filesystem::path& path, int flags);

/// The whole file, or its first `limit` bytes.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path,
                                            std::uint64_t limit = UINT64_MAX);

/// What is left to read from `fd`, at most `limit` bytes. `path` is for the Error.
[[nodiscard]] Result<std::string> read_rest(int fd, const std::filesystem::path& path,
                                            std::uint64_t limit = UINT64_MAX);

/// Writes all of `text`. `path` is for the Error, as in the two below.
[[nodiscard]] Status write_text(int fd, std::string_view text, const std::filesystem::path& path);

[[nodiscard]] Status sync_file(int fd, const std::filesystem::path& path);

/// Closes, and tells what only close(2) tells: a disk that filled up on a network file system.
[[nodiscard]] Status close_file(Fd fd, const std::filesystem::path& path);

/// Makes a folder's entries last. A file system that can't sync a folder is no Error.
[[nodiscard]] Status sync_folder(const std::filesystem::path& dir);

}  // namespace bench
