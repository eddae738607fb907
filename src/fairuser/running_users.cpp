#include "fairuser/running_users.h"

#include <fmt/format.h>

#include "common/signal_name.h"
#include "fairuser/last_words.h"
#include "fairuser/leader.h"
#include "fairuser/placement.h"

namespace bench::fairuser {

using namespace std::chrono_literals;

Error stopped_by_signal(const StopSource& stop) {
    return plain_error("run", "users", "stopped by " + signal_name(stop.signal_number()));
}

Status RunningUsers::start() {
    for (std::size_t index = 0; index < plan_.users.size(); ++index) {
        if (Status started = start_user(index); !started) {
            return started;
        }
    }
    return {};
}

std::string RunningUsers::accounting() const {
    return by_groups() ? plan_.groups->accounting_source() : "processes";
}

bool RunningUsers::by_groups() const {
    return plan_.groups != nullptr && plan_.groups->has_accounting();
}

Status RunningUsers::start_user(std::size_t index) {
    const Competitor& one = plan_.users[index];
    SupervisedCommand command;
    command.body = [this, index] {
        const UserRun run{plan_.users[index].user, index, &arena_};
        return run_leader(run, plan_.users[index].workload, leader_settings());
    };
    command.environment = one.workload.environment;
    command.working_directory = one.workload.folder;
    command.output = one.output;
    command.user = one.identity;
    if (plan_.groups != nullptr) {
        command.join_cgroups = plan_.groups->join_files(one.group);
    }
    Guardian::Options options;
    options.commands.push_back(std::move(command));
    options.own_session = plan_.own_sessions;
    options.outlived_by = plan_.folder;
    if (plan_.groups != nullptr) {
        options.keep_fds.push_back(plan_.groups->keeper().event_fd());
    }
    auto guardian = Guardian::start(std::move(options));
    if (!guardian) {
        Error error = guardian.error();
        error.detail = "user " + one.user.name + (error.detail.empty() ? "" : ": ") + error.detail;
        return error;
    }
    guardians_.push_back(std::move(*guardian));
    return place(index);
}

/// Nice is set from here: a user may not be allowed to, we may.
WorkerSettings RunningUsers::leader_settings() const {
    WorkerSettings settings = plan_.settings;
    settings.nice.reset();
    settings.pin_to.clear();
    return settings;
}

Status RunningUsers::place(std::size_t index) {
    const UserSpec& user = plan_.users[index].user;
    if (const std::optional<int> nice = user.nice ? user.nice : plan_.settings.nice) {
        if (Status set = set_nice(guardians_[index].pid(0), *nice, user.name); !set) {
            return set;
        }
    }
    UserSlot& slot = arena_.users[index];
    slot.placed.store(1, std::memory_order_release);
    futex_wake_all(slot.placed);
    return {};
}

std::optional<Error> RunningUsers::find_failure(std::size_t index) {
    const std::string name = "user " + plan_.users[index].user.name;
    const auto& exits = guardians_[index].poll_exits();
    if (const auto why = arena_.users[index].why_failed(); !why.empty()) {
        return plain_error("run", name, std::string(why));
    }
    if (!exits.empty() && !exits.front().clean()) {
        return plain_error("run", name,
                           exits.front().text() + last_words(plan_.users[index].output));
    }
    if (guardians_[index].gone()) {
        return plain_error("run", name, "its guardian was killed");
    }
    return std::nullopt;
}

Status RunningUsers::await_ready(StopSource& stop) {
    constexpr Duration kPatience = 120s;
    constexpr Duration kBetweenLooks = 1ms;
    const TimePoint given_up = MonotonicClock::now() + kPatience;
    stop.watch_load(-1);
    stop.set_deadline(given_up);
    for (std::size_t index = 0; index < guardians_.size(); ++index) {
        const UserSlot& slot = arena_.users[index];
        while (slot.ready.load(std::memory_order_acquire) < plan_.users[index].workload.waiting) {
            for (std::size_t other = 0; other < guardians_.size(); ++other) {
                if (auto failure = find_failure(other)) {
                    return *failure;
                }
            }
            const StopReason reason = stop.wait_until(MonotonicClock::now() + kBetweenLooks);
            if (reason == StopReason::signal) {
                return stopped_by_signal(stop);
            }
            if (reason == StopReason::deadline) {
                return plain_error(
                    "start", "user " + plan_.users[index].user.name,
                    fmt::format("after 120s {} of {} jobs were ready", slot.ready.load(),
                                plan_.users[index].workload.waiting));
            }
        }
    }
    return {};
}

Result<Duration> RunningUsers::cpu_time(std::size_t index) {
    if (by_groups()) {
        return plan_.groups->cpu_time(plan_.users[index].group);
    }
    const auto usage = guardians_[index].usage();
    if (!usage) {
        return usage.error();
    }
    return usage->cpu_time;
}

}  // namespace bench::fairuser
