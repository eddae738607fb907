#include "common/file.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "common/syscalls.h"

namespace bench {

Result<Fd> open_file(const std::filesystem::path& path, int flags) {
    int fd = -1;
    do {
        fd = syscalls().open(path.c_str(), flags | O_CLOEXEC, 0666);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) {
        return errno_error("open", path.string());
    }
    return Fd(fd);
}

Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t limit) {
    Result<Fd> file = open_file(path, O_RDONLY);
    if (!file) {
        return file.error();
    }
    return read_rest(file->get(), path, limit);
}

Result<std::string> read_rest(int fd, const std::filesystem::path& path, std::uint64_t limit) {
    constexpr std::uint64_t kBlock = 1U << 18U;
    std::string text;
    while (text.size() < limit) {
        const std::size_t have = text.size();
        const auto wanted = static_cast<std::size_t>(std::min(kBlock, limit - have));
        text.resize(have + wanted);
        const ssize_t got = syscalls().read(fd, text.data() + have, wanted);
        text.resize(have + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (got < 0 && errno != EINTR) {
            return errno_error("read", path.string());
        }
        if (got == 0) {
            break;
        }
    }
    return text;
}

Status write_text(int fd, std::string_view text, const std::filesystem::path& path) {
    if (!write_all(fd, text.data(), text.size())) {
        return errno_error("write", path.string());
    }
    return {};
}

Status sync_file(int fd, const std::filesystem::path& path) {
    while (syscalls().fsync(fd) != 0) {
        if (errno != EINTR) {
            return errno_error("sync", path.string());
        }
    }
    return {};
}

Status close_file(Fd fd, const std::filesystem::path& path) {
    // Linux has freed the descriptor even when it says EINTR.
    if (syscalls().close(fd.release()) != 0 && errno != EINTR) {
        return errno_error("close", path.string());
    }
    return {};
}

Status sync_folder(const std::filesystem::path& dir) {
    Result<Fd> folder = open_file(dir, O_RDONLY | O_DIRECTORY);
    if (!folder) {
        return folder.error();
    }
    Status synced = sync_file(folder->get(), dir);
    if (!synced && (synced.error().code == EINVAL || synced.error().code == EOPNOTSUPP)) {
        return {};
    }
    return synced;
}

}  // namespace bench
