#include "fairuser/session.h"

#include <fmt/format.h>
#include <sys/epoll.h>

#include <algorithm>

#include "common/file_tail.h"
#include "common/signal_name.h"
#include "fairuser/leader.h"
#include "fairuser/placement.h"

namespace bench::fairuser {
namespace {

using namespace std::chrono_literals;

constexpr Duration kBetweenSamples = 100ms;
/// What users get to end by themselves when the time is up.
constexpr Duration kGrace = 2s;

Error not_started(Error error) {
    error.not_started = true;
    return error;
}

/// One user while it runs.
struct Running {
    Guardian guardian;
    Duration before{};  ///< CPU time when the clock began to run
    std::optional<Duration> finish = {};
    Duration cpu_time{};
};

class Session {
  public:
    Session(const SessionPlan& plan, StopSource& stop, const SystemRoot& system, Arena arena)
        : plan_(plan), stop_(stop), system_(system), arena_(std::move(arena)) {}

    ~Session() { stop_.watch_load(-1); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    Result<SessionRecord> run() {
        record_.users.resize(plan_.users.size());
        record_.accounting = by_groups() ? plan_.groups->accounting_source() : "processes";
        for (std::size_t i = 0; i < plan_.users.size(); ++i) {
            if (Status started = start_user(i); !started) {
                return not_started(started.error());
            }
        }
        for (const auto& step : {&Session::await_ready, &Session::begin}) {
            if (Status done = (this->*step)(); !done) {
                return not_started(done.error());
            }
        }
        if (Status ended = compete(); !ended) {
            return ended.error();
        }
        if (Status stopped = finish(); !stopped) {
            return stopped.error();
        }
        return std::move(record_);
    }

  private:
    [[nodiscard]] bool by_groups() const {
        return plan_.groups != nullptr && plan_.groups->has_accounting();
    }

    Status start_user(std::size_t index) {
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
            error.detail =
                "user " + one.user.name + (error.detail.empty() ? "" : ": ") + error.detail;
            return error;
        }
        running_.push_back({.guardian = std::move(*guardian)});
        return place(index);
    }

    /// Nice is set from here: a user may not be allowed to, we may.
    [[nodiscard]] WorkerSettings leader_settings() const {
        WorkerSettings settings = plan_.settings;
        settings.nice.reset();
        settings.pin_to.clear();
        return settings;
    }

    Status place(std::size_t index) {
        const UserSpec& user = plan_.users[index].user;
        if (const std::optional<int> nice = user.nice ? user.nice : plan_.settings.nice) {
            if (Status set = set_nice(running_[index].guardian.pid(0), *nice, user.name); !set) {
                return set;
            }
        }
        UserSlot& slot = arena_.users[index];
        slot.placed.store(1, std::memory_order_release);
        futex_wake_all(slot.placed);
        return {};
    }

    /// Of a user whose processes ended or gave up. Empty: all is well.
    std::optional<Error> find_failure(std::size_t index) {
        const std::string name = "user " + plan_.users[index].user.name;
        const auto& exits = running_[index].guardian.poll_exits();
        if (const auto why = arena_.users[index].why_failed(); !why.empty()) {
            return plain_error("run", name, std::string(why));
        }
        if (!exits.empty() && !exits.front().clean()) {
            return plain_error("run", name, exits.front().text() + last_words(index));
        }
        if (running_[index].guardian.gone()) {
            return plain_error("run", name, "its guardian was killed");
        }
        return std::nullopt;
    }

    /// In one line, as reasons are.
    [[nodiscard]] std::string last_words(std::size_t index) const {
        constexpr std::size_t kTail = 2000;
        std::string tail = file_tail(plan_.users[index].output, kTail);
        std::string line;
        for (const char c : tail) {
            line += c == '\n' ? std::string(" | ") : std::string(1, c);
        }
        return line.empty() ? "; it printed nothing" : "; it printed: " + line;
    }

    Status stopped_by_signal() {
        return plain_error("run", "users", "stopped by " + signal_name(stop_.signal_number()));
    }

    Status await_ready() {
        constexpr Duration kPatience = 120s;
        constexpr Duration kBetweenLooks = 1ms;
        const TimePoint given_up = MonotonicClock::now() + kPatience;
        stop_.watch_load(-1);
        stop_.set_deadline(given_up);
        for (std::size_t index = 0; index < running_.size(); ++index) {
            const UserSlot& slot = arena_.users[index];
            while (slot.ready.load(std::memory_order_acquire) <
                   plan_.users[index].workload.waiting) {
                for (std::size_t other = 0; other < running_.size(); ++other) {
                    if (auto failure = find_failure(other)) {
                        return *failure;
                    }
                }
                const StopReason reason = stop_.wait_until(MonotonicClock::now() + kBetweenLooks);
                if (reason == StopReason::signal) {
                    return stopped_by_signal();
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

    /// All wait at the gate: what they run under is read, then it opens.
    Status begin() {
        events_.reset(::epoll_create1(EPOLL_CLOEXEC));
        if (!events_.valid()) {
            return errno_error("epoll_create1");
        }
        for (std::size_t index = 0; index < running_.size(); ++index) {
            epoll_event event{};
            event.events = EPOLLIN;
            if (::epoll_ctl(events_.get(), EPOLL_CTL_ADD, running_[index].guardian.event_fd(),
                            &event) != 0) {
                return errno_error("epoll_ctl");
            }
            if (Status read = read_back(index); !read) {
                return read;
            }
        }
        if (Status apart = check_sessions(); !apart) {
            return apart;
        }
        for (std::size_t index = 0; index < running_.size(); ++index) {
            const auto used = total_cpu_time(index);
            if (!used) {
                return used.error();
            }
            running_[index].before = *used;
        }
        stop_.watch_load(events_.get());
        start_ = MonotonicClock::now();
        constexpr Duration kForEver = std::chrono::hours(24 * 365);
        stop_.set_deadline(start_ + (plan_.ending == Ending::time ? plan_.duration : kForEver));
        arena_.open_gate();
        return {};
    }

    Status read_back(std::size_t index) {
        UserRecord& user = record_.users[index];
        user.pid = running_[index].guardian.pid(0);
        auto readback = read_back_process(user.pid, system_);
        if (!readback) {
            return readback.error();
        }
        user.readback = std::move(*readback);
        user.autogroup = autogroup_id(system_, user.pid);
        if (const std::uint32_t port = arena_.users[index].port; port != 0) {
            user.port = port;
        }
        return {};
    }

    /// Autogroups are no use unless there is one for each.
    Status check_sessions() {
        std::vector<std::optional<std::uint64_t>> ids;
        for (const UserRecord& user : record_.users) {
            ids.push_back(user.autogroup);
        }
        return plan_.own_sessions ? check_distinct(ids) : Status();
    }

    Result<Duration> total_cpu_time(std::size_t index) {
        if (by_groups()) {
            return plan_.groups->cpu_time(plan_.users[index].group);
        }
        const auto usage = running_[index].guardian.usage();
        if (!usage) {
            return usage.error();
        }
        return usage->cpu_time;
    }

    /// An account that shrank was read while a process ended: it stays where it was.
    Result<Sample> take_sample() {
        Sample sample;
        sample.at = MonotonicClock::now() - start_;
        for (std::size_t index = 0; index < running_.size(); ++index) {
            Running& user = running_[index];
            if (!user.finish) {
                const auto used = total_cpu_time(index);
                if (!used) {
                    return used.error();
                }
                user.cpu_time = std::max(user.cpu_time, *used - user.before);
            }
            sample.cpu_time.push_back(user.cpu_time);
        }
        return sample;
    }

    Status compete() {
        TimePoint next = start_ + kBetweenSamples;
        while (true) {
            const StopReason reason = stop_.wait_until(next);
            if (reason == StopReason::signal) {
                return stopped_by_signal();
            }
            if (reason == StopReason::deadline) {
                note_work();
                auto sample = take_sample();
                return sample ? end_of_time(std::move(*sample)) : Status(sample.error());
            }
            if (reason == StopReason::none) {
                auto sample = take_sample();
                if (!sample) {
                    return sample.error();
                }
                record_.samples.push_back(std::move(*sample));
                // One that came late is not made up for.
                next = std::max(next, MonotonicClock::now()) + kBetweenSamples;
            }
            // After a sample as well: reading an account may take in the news of an end.
            const auto all = take_exits();
            if (!all) {
                return all.error();
            }
            if (*all) {
                note_work();
                return {};
            }
        }
    }

    Status end_of_time(Sample sample) {
        record_.elapsed = sample.at;
        if (!competed_) {
            record_.together = sample;
        }
        record_.samples.push_back(std::move(sample));
        for (std::size_t index = 0; index < running_.size(); ++index) {
            if (auto failure = find_failure(index)) {
                return *failure;
            }
        }
        return {};
    }

    /// Whether all have finished. The first finish ends the time in which all compete.
    Result<bool> take_exits() {
        std::vector<std::size_t> ended;
        for (std::size_t index = 0; index < running_.size(); ++index) {
            Running& user = running_[index];
            if (user.finish) {
                continue;
            }
            if (auto failure = find_failure(index)) {
                return *failure;
            }
            if (!user.guardian.poll_exits().empty()) {
                ended.push_back(index);
            }
        }
        if (ended.empty()) {
            return false;
        }
        auto sample = take_sample();
        if (!sample) {
            return sample.error();
        }
        for (const std::size_t index : ended) {
            running_[index].finish = finish_of(index);
            record_.elapsed = std::max(record_.elapsed, *running_[index].finish);
            if (plan_.ending == Ending::time) {
                record_.taints.push_back(
                    fmt::format("the work of {} ended before the time was up: shares are those of "
                                "the time until then",
                                plan_.users[index].user.name));
            }
        }
        if (!competed_) {
            record_.together = std::move(*sample);
            competed_ = true;
        }
        return std::all_of(running_.begin(), running_.end(),
                           [](const Running& user) { return user.finish.has_value(); });
    }

    /// By its own clock where it has one: the news of its end may come late.
    Duration finish_of(std::size_t index) {
        const std::int64_t own = arena_.users[index].finished_ns;
        const TimePoint at =
            own != 0 ? TimePoint(Duration(own)) : running_[index].guardian.poll_exits().front().at;
        return at - start_;
    }

    void note_work() {
        for (std::size_t index = 0; index < running_.size(); ++index) {
            UserRecord& user = record_.users[index];
            UserSlot& slot = arena_.users[index];
            user.sent = slot.sent;
            user.received = slot.received;
            for (std::size_t job = 0; job < plan_.users[index].workload.job_slots; ++job) {
                const JobSlot& one = arena_.job(index, job);
                user.work.push_back(one.work.load(std::memory_order_relaxed));
                if (const std::int64_t ended = one.ended_ns; ended != 0) {
                    user.job_finish.push_back(TimePoint(Duration(ended)) - start_);
                }
            }
        }
    }

    Status finish() {
        // While they still live, for what goes with them.
        for (std::size_t index = 0; index < running_.size(); ++index) {
            if (const auto usage = running_[index].guardian.usage()) {
                record_.users[index].run_delay = usage->run_delay;
            }
        }
        stop_.watch_load(-1);
        for (std::size_t index = 0; index < running_.size(); ++index) {
            Running& user = running_[index];
            if (Status stopped = user.guardian.stop(kGrace); !stopped) {
                return stopped.error();
            }
            record_.users[index].finish = user.finish;
            record_.users[index].cpu_time = user.cpu_time;
            if (const auto usage = user.guardian.usage()) {
                record_.users[index].context_switches = usage->context_switches;
            }
        }
        return {};
    }

    const SessionPlan& plan_;
    StopSource& stop_;
    const SystemRoot& system_;
    Arena arena_;
    std::vector<Running> running_;
    Fd events_;
    TimePoint start_;
    bool competed_ = false;
    SessionRecord record_;
};

}  // namespace

Result<SessionRecord> run_session(const SessionPlan& plan, StopSource& stop,
                                  const SystemRoot& system) {
    std::size_t slots = 0;
    for (const Competitor& user : plan.users) {
        slots = std::max(slots, user.workload.job_slots);
    }
    auto arena = Arena::create(plan.users.size(), slots);
    if (!arena) {
        return not_started(arena.error());
    }
    return Session(plan, stop, system, std::move(*arena)).run();
}

}  // namespace bench::fairuser
