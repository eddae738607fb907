#include "latt/wake_pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "common/syscalls.h"

namespace bench::latt {
namespace {

Status make_pipe(Fd& read_end, Fd& write_end) {
    int fds[2];
    if (syscalls().pipe2(fds, O_CLOEXEC) != 0) {
        return errno_error("pipe2", "wake channel");
    }
    read_end.reset(fds[0]);
    write_end.reset(fds[1]);
    return {};
}

// One byte each way; 1, 0 at the end of file, or -1 with errno.
ssize_t read_byte(int fd) {
    char byte = 0;
    ssize_t got = 0;
    do {
        got = ::read(fd, &byte, 1);
    } while (got < 0 && errno == EINTR);
    return got;
}

bool write_byte(int fd) {
    const char byte = 1;
    ssize_t put = 0;
    do {
        put = ::write(fd, &byte, 1);
    } while (put < 0 && errno == EINTR);
    return put == 1;
}

}  // namespace

Result<std::unique_ptr<WakeChannel>> PipeChannel::create(std::uint32_t clients) {
    auto channel = std::make_unique<PipeChannel>();
    channel->ends_.resize(clients);
    for (Ends& ends : channel->ends_) {
        if (Status made = make_pipe(ends.wake_read, ends.wake_write); !made) {
            return made.error();
        }
        if (Status made = make_pipe(ends.reply_read, ends.reply_write); !made) {
            return made.error();
        }
    }
    return std::unique_ptr<WakeChannel>(std::move(channel));
}

void PipeChannel::close_client_ends() {
    for (Ends& ends : ends_) {
        ends.wake_read.reset();
        ends.reply_write.reset();
    }
}

bool PipeChannel::wake(std::uint32_t client) noexcept {
    return write_byte(ends_[client].wake_write.get());
}

Reply PipeChannel::await_reply(std::uint32_t client, StopSource& stop) {
    const int fd = ends_[client].reply_read.get();
    if (stop.wait_readable(fd) == StopReason::signal) {
        return Reply::signal;
    }
    switch (read_byte(fd)) {
        case 1:
            return Reply::arrived;
        case 0:
            return Reply::gone;
        default:
            return Reply::failed;
    }
}

void PipeChannel::quit() noexcept {
    for (Ends& ends : ends_) {
        ends.wake_write.reset();
    }
}

bool PipeChannel::wait(std::uint32_t client) noexcept {
    return read_byte(ends_[client].wake_read.get()) == 1;
}

bool PipeChannel::reply(std::uint32_t client) noexcept {
    return write_byte(ends_[client].reply_write.get());
}

std::vector<int> PipeChannel::client_fds(std::uint32_t client) const {
    return {ends_[client].wake_read.get(), ends_[client].reply_write.get()};
}

}  // namespace bench::latt
