#include "fairuser/session.h"

#include <fmt/format.h>
#include <sys/epoll.h>

#include <algorithm>

#include "fairuser/placement.h"
#include "fairuser/running_users.h"

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

/// What is known of a user while it runs.
struct Progress {
    Duration before{};  ///< CPU time when the clock began to run
    std::optional<Duration> finish = {};
    Duration cpu_time{};
};

class Session {
  public:
    Session(const SessionPlan& plan, StopSource& stop, const SystemRoot& system, Arena arena)
        : plan_(plan),
          stop_(stop),
          system_(system),
          arena_(std::move(arena)),
          users_(plan, arena_) {}

    ~Session() { stop_.watch_load(-1); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    Result<SessionRecord> run() {
        record_.users.resize(plan_.users.size());
        progress_.resize(plan_.users.size());
        record_.accounting = users_.accounting();
        Status begun = users_.start();
        if (begun) {
            begun = users_.await_ready(stop_);
        }
        if (begun) {
            begun = begin();
        }
        if (!begun) {
            return not_started(begun.error());
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
    /// All wait at the gate: what they run under is read, then it opens.
    Status begin() {
        events_.reset(::epoll_create1(EPOLL_CLOEXEC));
        if (!events_.valid()) {
            return errno_error("epoll_create1");
        }
        for (std::size_t index = 0; index < users_.size(); ++index) {
            epoll_event event{};
            event.events = EPOLLIN;
            if (::epoll_ctl(events_.get(), EPOLL_CTL_ADD, users_.guardian(index).event_fd(),
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
        for (std::size_t index = 0; index < users_.size(); ++index) {
            const auto used = users_.cpu_time(index);
            if (!used) {
                return used.error();
            }
            progress_[index].before = *used;
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
        user.pid = users_.guardian(index).pid(0);
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

    /// An account that shrank was read while a process ended: it stays where it was.
    Result<Sample> take_sample() {
        Sample sample;
        sample.at = MonotonicClock::now() - start_;
        for (std::size_t index = 0; index < users_.size(); ++index) {
            Progress& user = progress_[index];
            if (!user.finish) {
                const auto used = users_.cpu_time(index);
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
                return stopped_by_signal(stop_);
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
        for (std::size_t index = 0; index < users_.size(); ++index) {
            if (auto failure = users_.find_failure(index)) {
                return *failure;
            }
        }
        return {};
    }

    /// Whether all have finished. The first finish ends the time in which all compete.
    Result<bool> take_exits() {
        std::vector<std::size_t> ended;
        for (std::size_t index = 0; index < users_.size(); ++index) {
            Progress& user = progress_[index];
            if (user.finish) {
                continue;
            }
            if (auto failure = users_.find_failure(index)) {
                return *failure;
            }
            if (!users_.guardian(index).poll_exits().empty()) {
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
            progress_[index].finish = finish_of(index);
            record_.elapsed = std::max(record_.elapsed, *progress_[index].finish);
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
        return std::all_of(progress_.begin(), progress_.end(),
                           [](const Progress& user) { return user.finish.has_value(); });
    }

    /// By its own clock where it has one: the news of its end may come late.
    Duration finish_of(std::size_t index) {
        const std::int64_t own = arena_.users[index].finished_ns;
        const TimePoint at =
            own != 0 ? TimePoint(Duration(own)) : users_.guardian(index).poll_exits().front().at;
        return at - start_;
    }

    void note_work() {
        for (std::size_t index = 0; index < users_.size(); ++index) {
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
        for (std::size_t index = 0; index < users_.size(); ++index) {
            if (const auto usage = users_.guardian(index).usage()) {
                record_.users[index].run_delay = usage->run_delay;
            }
        }
        stop_.watch_load(-1);
        for (std::size_t index = 0; index < users_.size(); ++index) {
            Progress& user = progress_[index];
            if (Status stopped = users_.guardian(index).stop(kGrace); !stopped) {
                return stopped.error();
            }
            record_.users[index].finish = user.finish;
            record_.users[index].cpu_time = user.cpu_time;
            if (const auto usage = users_.guardian(index).usage()) {
                record_.users[index].context_switches = usage->context_switches;
            }
        }
        return {};
    }

    const SessionPlan& plan_;
    StopSource& stop_;
    const SystemRoot& system_;
    Arena arena_;
    RunningUsers users_;
    std::vector<Progress> progress_;
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
