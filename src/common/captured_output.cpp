#include "common/captured_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>

#include "common/file.h"
#include "common/syscalls.h"

namespace bench {
namespace {

constexpr std::size_t kBlock = 1U << 16U;

/// Leaves the last `size` bytes of a file of `whole` bytes. What can't be read is lost.
void cut_to_tail(int fd, std::uint64_t whole, std::uint64_t size) {
    std::string tail(size, '\0');
    const ssize_t got = ::pread(fd, tail.data(), size, static_cast<off_t>(whole - size));
    if (::ftruncate(fd, 0) == 0 && got > 0) {
        static_cast<void>(write_all(fd, tail.data(), static_cast<std::size_t>(got)));
    }
}

}  // namespace

Result<CapturedOutput> CapturedOutput::create(std::filesystem::path file, std::uint64_t kept) {
    CapturedOutput output(std::move(file), kept);
    if (auto made = open_file(output.file_, O_RDWR | O_CREAT | O_APPEND); !made) {
        return made.error();
    }
    std::array<int, 2> ends{-1, -1};
    if (syscalls().pipe2(ends.data(), O_CLOEXEC) != 0) {
        return errno_error("pipe", output.file_.string());
    }
    output.read_end_.reset(ends[0]);
    output.write_end_.reset(ends[1]);
    // Of our end alone: the command's writes wait as they would at a terminal.
    if (::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) {
        return errno_error("fcntl", output.file_.string());
    }
    return output;
}

bool CapturedOutput::take() {
    if (!read_end_.valid()) {
        return false;
    }
    std::array<char, kBlock> block;
    const ssize_t got = syscalls().read(read_end_.get(), block.data(), block.size());
    if (got > 0) {
        store(block.data(), static_cast<std::size_t>(got));
        return true;
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        read_end_.reset();
    }
    return false;
}

/// The file is opened each time: many commands would be too many descriptors.
void CapturedOutput::store(const char* data, std::size_t size) const {
    auto file = open_file(file_, O_RDWR | O_APPEND);
    struct stat status {};
    if (!file || ::fstat(file->get(), &status) != 0) {
        return;
    }
    const auto have = static_cast<std::uint64_t>(status.st_size);
    if (have + size > kept_) {
        cut_to_tail(file->get(), have, std::min(have, kept_ / 2));
    }
    static_cast<void>(write_all(file->get(), data, size));
}

}  // namespace bench
