#include "common/syscalls.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace bench {

Syscalls& syscalls() {
    static Syscalls table{
        .open = [](const char* path, int flags, mode_t mode) { return ::open(path, flags, mode); },
        .read = ::read,
        .write = ::write,
        .fsync = ::fsync,
        .close = ::close,
        .rename = ::rename,
        .pipe2 = [](int fds[2], int flags) { return ::pipe2(fds, flags); },
        .fork = ::fork,
        .mkdir = ::mkdir,
        .rmdir = ::rmdir,
        .setgroups = ::setgroups,
        .setresgid = ::setresgid,
        .setresuid = ::setresuid,
        .sched_getaffinity =
            [](pid_t tid, std::size_t size, unsigned long* mask) {
                return ::syscall(SYS_sched_getaffinity, tid, size, mask);
            },
        .sched_setaffinity =
            [](pid_t tid, std::size_t size, const unsigned long* mask) {
                return ::syscall(SYS_sched_setaffinity, tid, size, mask);
            },
        .sched_getattr =
            [](pid_t tid, void* attr, unsigned size, unsigned flags) {
                return ::syscall(SYS_sched_getattr, tid, attr, size, flags);
            },
        .sched_setattr =
            [](pid_t tid, const void* attr, unsigned flags) {
                return ::syscall(SYS_sched_setattr, tid, attr, flags);
            },
    };
    return table;
}

bool write_all(int fd, const void* data, std::size_t size) {
    const char* bytes = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t written = syscalls().write(fd, bytes, size);
        if (written < 0) {
            if (errno == EINTR) {
                continue;
            }
            return false;
        }
        bytes += written;
        size -= static_cast<std::size_t>(written);
    }
    return true;
}

}  // namespace bench
