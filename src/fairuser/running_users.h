#pragma once

#include <optional>
#include <vector>

#include "fairuser/session.h"

namespace bench::fairuser {

/// The users of a session as processes, each below a guardian of its own.
class RunningUsers {
  public:
    /// All that is given must outlive it.
    RunningUsers(const SessionPlan& plan, Arena& arena) : plan_(plan), arena_(arena) {}

    /// Starts and places all; then they make their jobs.
    [[nodiscard]] Status start();
    /// Waits until every job sleeps at the gate, two minutes at most.
    [[nodiscard]] Status await_ready(StopSource& stop);

    [[nodiscard]] std::size_t size() const { return guardians_.size(); }
    [[nodiscard]] Guardian& guardian(std::size_t index) { return guardians_[index]; }

    /// Of a user whose processes ended badly or gave up. Absent: all is well.
    [[nodiscard]] std::optional<Error> find_failure(std::size_t index);

    /// Where cpu_time() comes from: a cgroup file, or "processes".
    [[nodiscard]] std::string accounting() const;
    /// Of all processes of the user so far.
    [[nodiscard]] Result<Duration> cpu_time(std::size_t index);

  private:
    [[nodiscard]] bool by_groups() const;
    Status start_user(std::size_t index);
    Status place(std::size_t index);
    [[nodiscard]] WorkerSettings leader_settings() const;

    const SessionPlan& plan_;
    Arena& arena_;
    std::vector<Guardian> guardians_;
};

/// "stopped by SIGINT", once `stop` has a signal.
[[nodiscard]] Error stopped_by_signal(const StopSource& stop);

}  // namespace bench::fairuser
