#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/guardian.h"
#include "common/sched_policy.h"
#include "common/stop_source.h"
#include "common/sysfs.h"
#include "common/user_cgroups.h"
#include "common/user_identity.h"
#include "common/worker_settings.h"
#include "fairuser/workload.h"

namespace bench::fairuser {

/// A user made ready to run.
struct Competitor {
    UserSpec user;
    Workload workload;
    std::optional<UserIdentity> identity;  ///< absent: as this process
    std::filesystem::path output;          ///< keeps the end of what is printed
    std::size_t group = 0;                 ///< its number in `groups`
};

/// Users who run at the same time.
struct SessionPlan {
    std::vector<Competitor> users;
    Ending ending = Ending::time;
    Duration duration{};               ///< of Ending::time
    bool own_sessions = false;         ///< a session each: an autogroup each
    UserCgroups* groups = nullptr;     ///< may be null: none to join
    const Guardian* folder = nullptr;  ///< holds the folders the users work in
    WorkerSettings settings{};         ///< of all
};

/// CPU time of each user so far, since the start.
struct Sample {
    Duration at{};
    std::vector<Duration> cpu_time;
};

/// What became of one user.
struct UserRecord {
    pid_t pid = 0;
    std::optional<Duration> finish;    ///< since the start; absent: stopped at the end of the time
    Duration cpu_time{};               ///< until it finished, or the end
    std::vector<std::uint64_t> work;   ///< of each job slot, at the end
    std::vector<Duration> job_finish;  ///< of each job slot that has one
    std::uint64_t sent = 0, received = 0;
    std::optional<std::uint64_t> context_switches;
    std::optional<Duration> run_delay;
    WorkerReadback readback;
    std::optional<std::uint64_t> autogroup;
    std::optional<std::uint32_t> port;
};

struct SessionRecord {
    std::vector<UserRecord> users;
    Sample together;              ///< at the first finish, or the end: while all competed
    Duration elapsed{};           ///< to the last finish, or the end
    std::vector<Sample> samples;  ///< every 100 ms
    std::string accounting;       ///< where CPU times come from
    std::vector<std::string> taints;
};

/// Starts the users, lets them go together, and waits for the end. Errors: one could not be started
/// (not_started), one's work failed (with the end of its output), `stop` took a signal. No process
/// is left after any of them. Sets deadline and load of `stop` anew.
[[nodiscard]] Result<SessionRecord> run_session(const SessionPlan& plan, StopSource& stop,
                                                const SystemRoot& system);

}  // namespace bench::fairuser
