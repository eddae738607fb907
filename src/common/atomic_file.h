#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "common/result.h"

namespace bench {

/// Replaces several files of one folder together: all are written aside and synced first, then
/// renamed in the order staged. On an Error, and when it goes without commit(), the old files are
/// back and nothing is left beside them.
class FileTransaction {
  public:
    FileTransaction() = default;
    ~FileTransaction();
    FileTransaction(const FileTransaction&) = delete;
    FileTransaction& operator=(const FileTransaction&) = delete;

    /// Writes `text` beside `path`, synced.
    [[nodiscard]] Status stage(const std::filesystem::path& path, std::string_view text);

    /// Renames all and syncs the folder.
    [[nodiscard]] Status commit();

  private:
    struct Entry {
        std::filesystem::path path;
        std::filesystem::path aside;
        std::filesystem::path backup;
        bool has_backup = false;
        bool renamed = false;
    };

    [[nodiscard]] static Status publish(Entry& entry);
    static void restore(Entry& entry);

    std::vector<Entry> entries_;
};

}  // namespace bench
