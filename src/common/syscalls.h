#pragma once

#include <sys/types.h>

#include <cstddef>

namespace bench {

/// The system calls whose failures must be handled, and so must be had in a test: EINTR, EAGAIN,
/// ENOSPC, EMFILE, a short write, a mask buffer that is too small. Code outside timed paths calls
/// them through here; a timed path calls the kernel directly. Results and errno as the man pages
/// say.
struct Syscalls {
    int (*open)(const char* path, int flags, mode_t mode);
    ssize_t (*read)(int fd, void* buffer, std::size_t size);
    ssize_t (*write)(int fd, const void* data, std::size_t size);
    int (*fsync)(int fd);
    int (*close)(int fd);
    int (*rename)(const char* from, const char* to);
    int (*pipe2)(int fds[2], int flags);
    pid_t (*fork)();
    int (*mkdir)(const char* path, mode_t mode);
    int (*rmdir)(const char* path);
    int (*setgroups)(std::size_t count, const gid_t* groups);
    int (*setresgid)(gid_t real, gid_t effective, gid_t saved);
    int (*setresuid)(uid_t real, uid_t effective, uid_t saved);
    /// The raw calls: return the bytes the kernel copied, or -1.
    long (*sched_getaffinity)(pid_t tid, std::size_t size, unsigned long* mask);
    long (*sched_setaffinity)(pid_t tid, std::size_t size, const unsigned long* mask);
    long (*sched_getattr)(pid_t tid, void* attr, unsigned size, unsigned flags);
    long (*sched_setattr)(pid_t tid, const void* attr, unsigned flags);
};

/// The table in force; tests replace entries through testing/scoped_syscalls.h.
[[nodiscard]] Syscalls& syscalls();

/// Writes everything, retrying EINTR and short writes. Returns false with errno set when the kernel
/// refused.
[[nodiscard]] bool write_all(int fd, const void* data, std::size_t size);

}  // namespace bench
