#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "common/testing/scoped_syscalls.h"

namespace bench::testing {

/// Lets the calls that write files run until one of them fails: call number `fail_at` (from 1) and,
/// when `persistent`, all after it. Counts opens for writing, writes, syncs, closes and renames.
/// What happens to the failing call is `act`'s choice: an errno, or the end of the process.
class FailingCalls {
  public:
    enum class Act { no_space, kill };

    FailingCalls(int fail_at, Act act, bool persistent = false) {
        state() = {.left = fail_at, .act = act, .persistent = persistent, .real = calls_.real()};
        calls_->open = [](const char* path, int flags, mode_t mode) {
            return fails() ? -1 : state().real.open(path, flags, mode);
        };
        calls_->write = [](int fd, const void* data, std::size_t size) -> ssize_t {
            if (fails()) {
                // A disk that fills up takes a part first.
                static_cast<void>(state().real.write(fd, data, size / 2));
                return -1;
            }
            return state().real.write(fd, data, size);
        };
        // No power fails in a test, so nobody has to wait for the disk.
        calls_->fsync = [](int) { return fails() ? -1 : 0; };
        calls_->close = [](int fd) {
            const bool failed = fails();
            const int result = state().real.close(fd);
            return failed ? -1 : result;
        };
        calls_->rename = [](const char* from, const char* to) {
            return fails() ? -1 : state().real.rename(from, to);
        };
    }

    /// Whether the call that shall fail was reached.
    [[nodiscard]] static bool reached() { return state().left <= 0; }

  private:
    struct State {
        int left = 0;
        Act act = Act::no_space;
        bool persistent = false;
        Syscalls real{};
    };
    static State& state() {
        static State one;
        return one;
    }
    static bool fails() {
        State& now = state();
        --now.left;
        if (now.left > 0 || (now.left < 0 && !now.persistent)) {
            return false;
        }
        if (now.act == Act::kill) {
            ::kill(::getpid(), SIGKILL);
        }
        errno = ENOSPC;
        return true;
    }

    ScopedSyscalls calls_;
};

}  // namespace bench::testing
