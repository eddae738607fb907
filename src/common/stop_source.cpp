#include "common/stop_source.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "common/syscalls.h"

namespace bench {
namespace {

timespec to_timespec(TimePoint when) {
    // An all-zero time would disarm the timer instead of firing it.
    const auto since = std::max(when.time_since_epoch(), Duration(1));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
    return timespec{seconds.count(), (since - seconds).count()};
}

/// poll(2) with EINTR retried; the timeout is 0 or infinite, so a retry prolongs nothing.
template <std::size_t N>
void poll_retrying(std::array<pollfd, N>& fds, int timeout) {
    while (::poll(fds.data(), fds.size(), timeout) < 0 && errno == EINTR) {
    }
}

/// The signal waiting in `fd`, 0 when another reader was faster.
int take_signal(int fd) {
    signalfd_siginfo info{};
    ssize_t got = -1;
    do {
        got = syscalls().read(fd, &info, sizeof info);
    } while (got < 0 && errno == EINTR);
    return got == static_cast<ssize_t>(sizeof info) ? static_cast<int>(info.ssi_signo) : 0;
}

pollfd readable(int fd) {
    return pollfd{fd, POLLIN, 0};
}

}  // namespace

sigset_t StopSource::taken_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    // A run started by nohup shall survive the terminal.
    struct sigaction hangup = {};
    ::sigaction(SIGHUP, nullptr, &hangup);
    if (hangup.sa_handler != SIG_IGN) {
        sigaddset(&set, SIGHUP);
    }
    return set;
}

Result<StopSource> StopSource::create() {
    // Scripts start background jobs with SIGINT ignored; who sends it to us still means it.
    for (const int signal : {SIGINT, SIGTERM}) {
        struct sigaction action = {};
        action.sa_handler = SIG_DFL;
        ::sigaction(signal, &action, nullptr);
    }
    const sigset_t set = taken_signals();
    if (const int code = ::pthread_sigmask(SIG_BLOCK, &set, nullptr); code != 0) {
        return Error{code, "pthread_sigmask", {}, {}};
    }
    Fd signals(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals.valid()) {
        return errno_error("signalfd");
    }
    Fd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    if (!timer.valid()) {
        return errno_error("timerfd_create");
    }
    return StopSource(std::move(signals), std::move(timer));
}

StopReason StopSource::wait_until(TimePoint when) {
    const bool deadline_first = deadline_ && *deadline_ <= when;
    itimerspec at{};
    at.it_value = to_timespec(deadline_first ? *deadline_ : when);
    // Setting it also forgets an expiry of an earlier wait that was cut short.
    ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &at, nullptr);
    std::array fds{readable(signals_.get()), readable(load_fd_), readable(timer_.get())};
    while (signal_ == 0) {
        poll_retrying(fds, -1);
        if (fds[0].revents != 0) {
            signal_ = take_signal(signals_.get());
        } else if (fds[1].revents != 0) {
            return StopReason::load_ended;
        } else if (fds[2].revents != 0) {
            return deadline_first ? StopReason::deadline : StopReason::none;
        }
    }
    return StopReason::signal;
}

StopReason StopSource::wait_readable(int fd) {
    std::array fds{readable(signals_.get()), readable(fd)};
    while (signal_ == 0) {
        poll_retrying(fds, -1);
        if (fds[0].revents != 0) {
            signal_ = take_signal(signals_.get());
        } else if (fds[1].revents != 0) {
            return StopReason::none;
        }
    }
    return StopReason::signal;
}

StopReason StopSource::check() {
    std::array fds{readable(signals_.get()), readable(load_fd_)};
    poll_retrying(fds, 0);
    if (signal_ == 0 && fds[0].revents != 0) {
        signal_ = take_signal(signals_.get());
    }
    if (signal_ != 0) {
        return StopReason::signal;
    }
    if (fds[1].revents != 0) {
        return StopReason::load_ended;
    }
    return deadline_ && MonotonicClock::now() >= *deadline_ ? StopReason::deadline
                                                            : StopReason::none;
}

}  // namespace bench
