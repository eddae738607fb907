#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"

namespace bench {

/// The one seam to /proc, /sys, cgroup files and /boot: every path is taken below a root, so that a
/// fixture tree can stand in for another machine. Paths are absolute as on the real system
/// ("/proc/cmdline").
class SystemRoot {
  public:
    /// The machine itself.
    SystemRoot() : root_("/") {}
    /// A tree that holds proc/, sys/ and so on. Symbolic links in it must be relative.
    explicit SystemRoot(std::filesystem::path root) : root_(std::move(root)) {}

    /// Where `path` really lies.
    [[nodiscard]] std::filesystem::path resolve(std::string_view path) const;
    /// False for a fixture tree: facts that come from system calls are then not asked for.
    [[nodiscard]] bool is_host() const { return root_ == "/"; }

    /// The whole file, at most 64 MiB, EINTR retried. Errors as open(2) and read(2) give them.
    [[nodiscard]] Result<std::string> read(std::string_view path) const;
    /// The whole file without white space at its end; nullopt when it can't be read. For facts that
    /// may be absent.
    [[nodiscard]] std::optional<std::string> read_trimmed(std::string_view path) const;
    /// A file that holds one whole number (sign allowed); nullopt when absent or anything else.
    [[nodiscard]] std::optional<std::int64_t> read_integer(std::string_view path) const;
    /// Names in a folder, sorted, without "." and ".."; empty when there is no such folder.
    [[nodiscard]] std::vector<std::string> list(std::string_view path) const;
    /// The target of a symbolic link as stored; nullopt when it is none.
    [[nodiscard]] std::optional<std::string> read_link(std::string_view path) const;
    [[nodiscard]] bool exists(std::string_view path) const;
    /// Writes in one write(2), as kernel files want it. Never creates a file.
    [[nodiscard]] Status write(std::string_view path, std::string_view text) const;

  private:
    std::filesystem::path root_;
};

}  // namespace bench
