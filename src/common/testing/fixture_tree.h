#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "common/sysfs.h"

namespace bench::testing {

/// A declared tree of files in a folder of its own under the temporary folder, removed with the
/// object: stands in for another machine.
///
///     FixtureTree tree;
///     tree.file("/proc/cmdline", "quiet\n").link("/sys/a", "b");
///     SystemRoot system = tree.system();
class FixtureTree {
  public:
    /// Throws std::runtime_error when the temporary folder can't be written.
    FixtureTree();
    ~FixtureTree();
    FixtureTree(const FixtureTree&) = delete;
    FixtureTree& operator=(const FixtureTree&) = delete;

    /// Makes or replaces a file with its folders.
    FixtureTree& file(std::string_view path, std::string_view content);
    FixtureTree& folder(std::string_view path);
    /// A symbolic link; `target` relative.
    FixtureTree& link(std::string_view path, std::string_view target);
    /// The content, compressed as gzip does.
    FixtureTree& gzip(std::string_view path, std::string_view content);
    FixtureTree& remove(std::string_view path);

    [[nodiscard]] const std::filesystem::path& root() const { return root_; }
    [[nodiscard]] SystemRoot system() const { return SystemRoot(root_); }

  private:
    [[nodiscard]] std::filesystem::path place(std::string_view path) const;

    std::filesystem::path root_;
};

}  // namespace bench::testing
