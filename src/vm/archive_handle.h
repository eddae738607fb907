#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <memory>
#include <string>

namespace bench {

/// libarchive's objects, freed whatever happens.
using ArchiveReader = std::unique_ptr<archive, decltype(&archive_read_free)>;
using ArchiveWriter = std::unique_ptr<archive, decltype(&archive_write_free)>;
using ArchiveEntry = std::unique_ptr<archive_entry, decltype(&archive_entry_free)>;

/// What libarchive says went wrong last, never empty.
[[nodiscard]] inline std::string archive_complaint(archive* handle) {
    const char* text = archive_error_string(handle);
    return text != nullptr ? text : "unknown error";
}

}  // namespace bench
