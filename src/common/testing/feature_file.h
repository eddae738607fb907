#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "common/testing/scoped_syscalls.h"

namespace bench::testing {

/// Has writes to a fixture's /sys/kernel/debug/sched/features do what the kernel does with them:
/// one word switches one feature, the others stay; an unknown one is EINVAL. Also in forked
/// children.
class FeatureFile {
  public:
    FeatureFile() {
        state() = {.real = calls_.real(), .fd = -1, .path = {}};
        calls_->open = [](const char* path, int flags, mode_t mode) {
            const bool ours = std::string_view(path).ends_with("/sched/features") &&
                              (flags & O_ACCMODE) == O_WRONLY;
            const int fd = state().real.open(path, ours ? flags & ~O_TRUNC : flags, mode);
            if (ours) {
                state().fd = fd;
                state().path = path;
            }
            return fd;
        };
        calls_->write = [](int fd, const void* data, std::size_t size) -> ssize_t {
            if (fd < 0 || fd != std::exchange(state().fd, -1)) {
                return state().real.write(fd, data, size);
            }
            return switch_feature(std::string(static_cast<const char*>(data), size))
                       ? static_cast<ssize_t>(size)
                       : -1;
        };
    }

    [[nodiscard]] Syscalls& calls() { return *calls_.operator->(); }

  private:
    struct State {
        Syscalls real{};
        int fd = -1;
        std::string path;
    };
    static State& state() {
        static State one;
        return one;
    }
    static std::string name_of(const std::string& word) {
        return word.starts_with("NO_") ? word.substr(3) : word;
    }
    static bool switch_feature(const std::string& asked) {
        std::ifstream in(state().path);
        std::string list;
        bool known = false;
        for (std::string word; in >> word;) {
            const bool same = name_of(word) == name_of(asked);
            known = known || same;
            list += (same ? asked : word) + ' ';
        }
        if (!known) {
            errno = EINVAL;
            return false;
        }
        std::ofstream(state().path, std::ios::trunc) << list << '\n';
        return true;
    }

    ScopedSyscalls calls_;
};

}  // namespace bench::testing
