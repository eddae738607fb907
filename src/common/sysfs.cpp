#include "common/sysfs.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <memory>

#include "common/fd.h"
#include "common/syscalls.h"

namespace bench {

namespace {

constexpr std::size_t kMaxFileBytes = 64UL << 20U;

Result<Fd> open_file(const std::filesystem::path& path, int flags) {
    for (;;) {
        Fd fd(syscalls().open(path.c_str(), flags | O_CLOEXEC, 0));
        if (fd.valid()) {
            return fd;
        }
        if (errno != EINTR) {
            return errno_error("open", path.string());
        }
    }
}

}  // namespace

std::filesystem::path SystemRoot::resolve(std::string_view path) const {
    path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
    return root_ / path;
}

Result<std::string> SystemRoot::read(std::string_view path) const {
    const std::filesystem::path real_path = resolve(path);
    Result<Fd> fd = open_file(real_path, O_RDONLY);
    if (!fd) {
        return fd.error();
    }
    // Kernel files have no size to ask for: they are read until they end.
    std::string text;
    std::array<char, 16384> buffer;
    for (;;) {
        const ssize_t got = syscalls().read(fd->get(), buffer.data(), buffer.size());
        if (got == 0) {
            return text;
        }
        if (got < 0) {
            if (errno == EINTR) {
                continue;
            }
            return errno_error("read", real_path.string());
        }
        text.append(buffer.data(), static_cast<std::size_t>(got));
        if (text.size() > kMaxFileBytes) {
            return Error{EFBIG, "read", real_path.string(), "at most 64 MiB are read"};
        }
    }
}

std::optional<std::string> SystemRoot::read_trimmed(std::string_view path) const {
    Result<std::string> text = read(path);
    if (!text) {
        return std::nullopt;
    }
    const std::size_t last = text->find_last_not_of(" \t\r\n\v\f");
    text->resize(last == std::string::npos ? 0 : last + 1);
    return std::move(text).value();
}

std::optional<std::int64_t> SystemRoot::read_integer(std::string_view path) const {
    const std::optional<std::string> text = read_trimmed(path);
    if (!text) {
        return std::nullopt;
    }
    std::string_view digits = *text;
    if (digits.starts_with('+') && !digits.starts_with("+-")) {
        digits.remove_prefix(1);
    }
    std::int64_t value = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, code] = std::from_chars(digits.data(), end, value);
    if (code != std::errc() || stop != end) {
        return std::nullopt;
    }
    return value;
}

std::vector<std::string> SystemRoot::list(std::string_view path) const {
    std::vector<std::string> names;
    struct Closer {
        void operator()(DIR* dir) const { ::closedir(dir); }
    };
    const std::unique_ptr<DIR, Closer> dir(::opendir(resolve(path).c_str()));
    if (dir == nullptr) {
        return names;
    }
    while (const dirent* entry = ::readdir(dir.get())) {
        const std::string_view name = static_cast<const char*>(entry->d_name);
        if (name != "." && name != "..") {
            names.emplace_back(name);
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::optional<std::string> SystemRoot::read_link(std::string_view path) const {
    std::error_code code;
    const std::filesystem::path target = std::filesystem::read_symlink(resolve(path), code);
    if (code) {
        return std::nullopt;
    }
    return target.string();
}

bool SystemRoot::exists(std::string_view path) const {
    std::error_code code;
    return std::filesystem::exists(resolve(path), code);
}

Status SystemRoot::write(std::string_view path, std::string_view text) const {
    const std::filesystem::path real_path = resolve(path);
    // O_TRUNC means nothing to the kernel's files; a fixture's file then holds just the text.
    Result<Fd> fd = open_file(real_path, O_WRONLY | O_TRUNC);
    if (!fd) {
        return fd.error();
    }
    for (;;) {
        const ssize_t written = syscalls().write(fd->get(), text.data(), text.size());
        if (written >= 0) {
            if (static_cast<std::size_t>(written) != text.size()) {
                // The kernel took half a value: a second write would be a second command to it.
                return Error{EIO, "write", real_path.string(), "the kernel took only a part"};
            }
            return {};
        }
        if (errno != EINTR) {
            return errno_error("write", real_path.string(),
                               "value '" + std::string(text.substr(0, 200)) + "'");
        }
    }
}

}  // namespace bench
