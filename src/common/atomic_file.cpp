#include "common/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>

#include "common/bundle.h"
#include "common/file.h"
#include "common/syscalls.h"

namespace bench {

namespace {

/// A name beside `path` that no other process or thread uses.
std::filesystem::path name_beside(const std::filesystem::path& path, std::string_view ending) {
    static std::atomic<unsigned> number{0};
    return path.parent_path() /
           fmt::format(".{}.{}-{}{}", path.filename().string(), getpid(), ++number, ending);
}

Status write_new_file(const std::filesystem::path& aside, std::string_view text,
                      const std::filesystem::path& path) {
    // A killed process with this number may have left its own.
    ::unlink(aside.c_str());
    Result<Fd> file = open_file(aside, O_WRONLY | O_CREAT | O_EXCL);
    if (!file) {
        // What matters to the user is the file that can't be written, not its neighbour's name.
        Error error = file.error();
        error.object = path.string();
        return error;
    }
    struct stat old {};
    if (::stat(path.c_str(), &old) == 0 && ::fchmod(file->get(), old.st_mode & 07777U) != 0) {
        return errno_error("set mode of", path.string());
    }
    Status written = write_text(file->get(), text, path);
    if (written) {
        written = sync_file(file->get(), path);
    }
    Status closed = close_file(std::move(*file), path);
    return written ? closed : written;
}

/// Gives the old file a second name; false when there is none. A copy does where the file system
/// has no hard links.
Result<bool> keep_old(const std::filesystem::path& path, const std::filesystem::path& backup) {
    ::unlink(backup.c_str());
    if (::link(path.c_str(), backup.c_str()) == 0) {
        return true;
    }
    if (errno == ENOENT) {
        return false;
    }
    Result<std::string> text = read_file(path);
    if (!text) {
        return text.error();
    }
    Status copied = write_new_file(backup, *text, path);
    if (!copied) {
        ::unlink(backup.c_str());
        return copied.error();
    }
    return true;
}

Status write_to_existing(const std::filesystem::path& path, std::string_view text) {
    Result<Fd> file = open_file(path, O_WRONLY);
    if (!file) {
        return file.error();
    }
    Status written = write_text(file->get(), text, path);
    Status closed = close_file(std::move(*file), path);
    return written ? closed : written;
}

}  // namespace

FileTransaction::~FileTransaction() {
    // In reverse, so that at no time a later file is new and an earlier one old again.
    for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
        restore(*entry);
    }
}

Status FileTransaction::stage(const std::filesystem::path& path, std::string_view text) {
    Entry entry{.path = path,
                .aside = name_beside(path, ".new"),
                .backup = name_beside(path, ".old"),
                .has_backup = false,
                .renamed = false};
    entries_.push_back(entry);
    return write_new_file(entry.aside, text, path);
}

Status FileTransaction::publish(Entry& entry) {
    Result<bool> kept = keep_old(entry.path, entry.backup);
    if (!kept) {
        return kept.error();
    }
    entry.has_backup = *kept;
    if (syscalls().rename(entry.aside.c_str(), entry.path.c_str()) != 0) {
        return errno_error("rename", entry.path.string());
    }
    entry.renamed = true;
    return {};
}

void FileTransaction::restore(Entry& entry) {
    if (entry.renamed) {
        if (!entry.has_backup) {
            ::unlink(entry.path.c_str());
        } else if (syscalls().rename(entry.backup.c_str(), entry.path.c_str()) != 0) {
            ::unlink(entry.path.c_str());
            if (::link(entry.backup.c_str(), entry.path.c_str()) != 0) {
                return;  // the old file stays at least under its other name
            }
        }
    }
    ::unlink(entry.aside.c_str());
    ::unlink(entry.backup.c_str());
}

Status FileTransaction::commit() {
    for (Entry& entry : entries_) {
        Status published = publish(entry);
        if (!published) {
            return published;
        }
    }
    if (!entries_.empty()) {
        const std::filesystem::path dir = entries_.front().path.parent_path();
        Status synced = sync_folder(dir.empty() ? "." : dir);
        if (!synced) {
            return synced;
        }
    }
    for (const Entry& entry : entries_) {
        ::unlink(entry.backup.c_str());
    }
    entries_.clear();
    return {};
}

Status write_file_atomically(const std::filesystem::path& path, std::string_view text) {
    std::error_code code;
    const std::filesystem::file_status status = std::filesystem::status(path, code);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        return write_to_existing(path, text);
    }
    // Renaming over a symbolic link would replace the link itself.
    const std::filesystem::path target =
        std::filesystem::exists(status) ? std::filesystem::canonical(path, code) : path;
    if (code && std::filesystem::exists(status)) {
        return Error{code.value(), "resolve", path.string(), {}};
    }
    FileTransaction files;
    Status staged = files.stage(target, text);
    return staged ? files.commit() : staged;
}

}  // namespace bench
