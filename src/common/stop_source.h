#pragma once

#include <csignal>
#include <optional>

#include "common/clock.h"
#include "common/fd.h"

namespace bench {

enum class StopReason {
    none,        ///< go on
    deadline,    ///< the cell's time is up
    load_ended,  ///< the load, or the command whose run is measured, has ended
    signal,      ///< SIGINT or SIGTERM: give up at once
};

/// Everything that ends a cell, in one place to wait at. Timers are absolute on CLOCK_MONOTONIC
/// through timerfd, which timer slack does not delay.
class StopSource {
  public:
    /// Blocks SIGINT, SIGTERM and SIGHUP for this process and takes them through a descriptor. An
    /// ignored SIGHUP (nohup) stays ignored; SIGINT and SIGTERM are taken even when they were
    /// ignored. Children must unblock them: WorkerGroup and Guardian do.
    [[nodiscard]] static Result<StopSource> create();

    void set_deadline(TimePoint deadline) { deadline_ = deadline; }
    [[nodiscard]] std::optional<TimePoint> deadline() const { return deadline_; }
    /// Ends the cell when `fd` becomes readable or hangs up. Not owned. -1: nothing to watch.
    void watch_load(int fd) { load_fd_ = fd; }

    /// Sleeps until `when`; an earlier deadline, the load's end or a signal cut it short. none:
    /// `when` is reached.
    [[nodiscard]] StopReason wait_until(TimePoint when);

    /// Waits until `fd` is readable or hung up (none) or a signal came. Deadline and load's end do
    /// not cut it: a round once begun is finished.
    [[nodiscard]] StopReason wait_readable(int fd);

    /// Whether something has ended the cell already, without waiting.
    [[nodiscard]] StopReason check();

    /// The signal taken, once a wait said `signal`; 0 before. From then on every wait says it again
    /// at once.
    [[nodiscard]] int signal_number() const { return signal_; }

  private:
    [[nodiscard]] static sigset_t taken_signals();
    StopSource(Fd signals, Fd timer) : signals_(std::move(signals)), timer_(std::move(timer)) {}

    Fd signals_;
    Fd timer_;
    int load_fd_ = -1;
    int signal_ = 0;
    std::optional<TimePoint> deadline_;
};

}  // namespace bench
