#include "common/kernel_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <array>
#include <cerrno>

#include "common/environment_text.h"
#include "common/fd.h"

namespace bench {

namespace {

constexpr std::size_t kMaxLogBytes = 16UL << 20U;

/// One record a read, and no end of file: the device has to be asked without waiting.
std::optional<std::string> read_kmsg_device(const std::filesystem::path& path) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat status {};
    // Containers put a console in its place, whose input is not ours to take.
    if (!fd.valid() || ::fstat(fd.get(), &status) != 0 || !S_ISCHR(status.st_mode) ||
        status.st_rdev != makedev(1, 11)) {
        return std::nullopt;
    }
    std::string log;
    std::array<char, 16384> record;
    while (log.size() < kMaxLogBytes) {
        const ssize_t got = ::read(fd.get(), record.data(), record.size());
        if (got > 0) {
            log.append(record.data(), static_cast<std::size_t>(got));
        } else if (got == 0 || (errno != EINTR && errno != EPIPE)) {
            // EPIPE: the record was overwritten meanwhile, the next one is there.
            break;
        }
    }
    return log.empty() ? std::nullopt : std::optional(std::move(log));
}

}  // namespace

std::optional<std::string> read_kernel_log(const SystemRoot& system, std::string_view release) {
    std::optional<std::string> log =
        system.is_host() ? read_kmsg_device("/dev/kmsg") : system.read("/dev/kmsg").optional();
    if (log) {
        return log;
    }
    log = system.read("/var/log/dmesg").optional();
    // The file outlives a boot, and may tell of another kernel.
    if (log && !release.empty() &&
        log->find("Linux version " + std::string(release) + " ") != std::string::npos) {
        return log;
    }
    return std::nullopt;
}

std::string_view log_message(std::string_view line) {
    if (const std::size_t semicolon = line.find(';');
        semicolon != std::string_view::npos &&
        line.substr(0, semicolon).find_first_not_of("0123456789,-c+") == std::string_view::npos) {
        return environment::trim(line.substr(semicolon + 1));
    }
    if (line.starts_with('[')) {
        const std::size_t close = line.find("] ");
        if (close != std::string_view::npos) {
            return environment::trim(line.substr(close + 2));
        }
    }
    return environment::trim(line);
}

}  // namespace bench
