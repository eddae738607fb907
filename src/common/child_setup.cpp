#include "common/child_setup.h"

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <limits>

namespace bench {
namespace {

bool close_range_raw(int first, unsigned last) {
    return ::syscall(SYS_close_range, static_cast<unsigned>(first), last, 0U) == 0;
}

/// Closes the gaps between the sorted `keep`; false without close_range(2).
bool close_gaps(std::span<const int> keep) {
    int next = STDERR_FILENO + 1;
    for (const int fd : keep) {
        if (fd < next) {
            continue;
        }
        if (fd > next && !close_range_raw(next, static_cast<unsigned>(fd - 1))) {
            return false;
        }
        next = fd + 1;
    }
    return close_range_raw(next, std::numeric_limits<unsigned>::max());
}

void set_default(int signal) {
    struct sigaction action = {};
    action.sa_handler = SIG_DFL;
    ::sigaction(signal, &action, nullptr);
}

}  // namespace

void die_with_parent(pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The parent may have died between fork and prctl: then no signal will ever come.
    if (::getppid() != parent) {
        ::_exit(EXIT_FAILURE);
    }
}

void set_worker_signals() {
    set_default(SIGINT);
    set_default(SIGTERM);
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, nullptr);
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        sigaddset(&set, signal);
    }
    ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void set_program_signals() {
    for (int signal = 1; signal < NSIG; ++signal) {
        set_default(signal);  // SIGKILL, SIGSTOP and libc's own refuse, rightly
    }
    sigset_t none;
    sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

Status close_listed_fds_except(std::span<const int> keep) {
    DIR* folder = ::opendir("/proc/self/fd");
    if (folder == nullptr) {
        return errno_error("open", "/proc/self/fd");
    }
    std::vector<int> doomed;
    while (const dirent* entry = ::readdir(folder)) {
        const char* end = entry->d_name + std::strlen(entry->d_name);
        int fd = -1;
        const auto [rest, failure] = std::from_chars(entry->d_name, end, fd);
        if (failure == std::errc() && rest == end && fd > STDERR_FILENO && fd != ::dirfd(folder) &&
            !std::binary_search(keep.begin(), keep.end(), fd)) {
            doomed.push_back(fd);
        }
    }
    ::closedir(folder);
    for (const int fd : doomed) {
        ::close(fd);
    }
    return {};
}

Status close_fds_except(std::vector<int> keep) {
    std::sort(keep.begin(), keep.end());
    if (close_gaps(keep)) {
        return {};
    }
    return close_listed_fds_except(keep);
}

}  // namespace bench
