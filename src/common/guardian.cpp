#include "common/guardian.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "common/cgroup_removal.h"
#include "common/guardian_main.h"
#include "common/guardian_protocol.h"
#include "common/signal_name.h"
#include "common/syscalls.h"

namespace bench {
namespace {

using Kind = GuardianEvent::Kind;

/// One event; false when there is none to come, or with MSG_DONTWAIT none yet.
bool receive(int link, GuardianEvent& event, int flags) {
    ssize_t got = -1;
    do {
        got = ::recv(link, &event, sizeof event, flags);
    } while (got < 0 && errno == EINTR);
    return got == static_cast<ssize_t>(sizeof event);
}

bool send_order(int link, const GuardianOrder& order) {
    ssize_t sent = -1;
    do {
        sent = ::send(link, &order, sizeof order, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent == static_cast<ssize_t>(sizeof order);
}

/// Waits until the link has something to say or is hung up; false when `until` is reached.
bool wait_for_event(int link, TimePoint until) {
    constexpr std::int64_t kMostMs = 1'000'000;
    while (true) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - MonotonicClock::now());
        pollfd fd{link, POLLIN, 0};
        const int timeout = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, kMostMs));
        const int ready = ::poll(&fd, 1, timeout);
        if (ready > 0) {
            return true;
        }
        if (ready == 0 && left.count() <= 0) {
            return false;
        }
    }
}

/// The wait status of our child, 0 when somebody else has taken it.
int reap(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return 0;
        }
    }
    return status;
}

SupervisedExit to_exit(const GuardianEvent& event) {
    return {event.index, TimePoint(Duration(event.at_ns)), event.value};
}

TreeUsage to_usage(const GuardianUsage& told) {
    TreeUsage usage;
    usage.cpu_time = Duration(told.cpu_time_ns);
    usage.running = told.running;
    if (told.context_switches >= 0) {
        usage.context_switches = static_cast<std::uint64_t>(told.context_switches);
    }
    if (told.run_delay_ns >= 0) {
        usage.run_delay = Duration(told.run_delay_ns);
    }
    return usage;
}

Error start_error(const GuardianEvent& event, const std::vector<SupervisedCommand>& commands) {
    const std::string operation(event.text.data());
    if (event.index >= commands.size()) {
        return Error{event.value, operation, "guardian", {}};
    }
    const SupervisedCommand& command = commands[event.index];
    const std::string name = command.argv.empty() ? "load" : command.argv[0];
    if (operation == "open") {
        return Error{event.value, operation, command.output.string(), "output of " + name};
    }
    if (operation == "chdir") {
        return Error{event.value, operation, command.working_directory.string(), "for " + name};
    }
    if (operation == "join cgroup") {
        std::string files;
        for (const std::filesystem::path& file : command.join_cgroups) {
            files += (files.empty() ? "" : ", ") + file.string();
        }
        return Error{event.value, operation, files, "for " + name};
    }
    if (operation == "execute") {
        Error error{event.value, operation, name, {}};
        if (event.value == EAGAIN && command.user) {
            // Where the kernel holds too many processes against a user that was changed to.
            const Error cause = user_error(EAGAIN, operation, *command.user);
            error.detail = fmt::format("as {}: {}", cause.object, cause.detail);
        }
        return error;
    }
    if (command.user && (operation.starts_with("set") || operation == "verify user") &&
        operation != "set up") {
        return user_error(event.value, operation, *command.user);
    }
    return Error{event.value, operation, name,
                 fmt::format("{} of {} commands started", event.index, commands.size())};
}

}  // namespace

std::string SupervisedExit::text() const {
    if (WIFSIGNALED(wait_status)) {
        return "killed by " + signal_name(WTERMSIG(wait_status));
    }
    return fmt::format("exit status {}", WEXITSTATUS(wait_status));
}

Result<Guardian> Guardian::start(Options options) {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return errno_error("socketpair", "guardian");
    }
    // The guardian leaves our folder, so that it keeps no mount busy.
    for (std::filesystem::path& folder : options.remove_afterwards) {
        folder = std::filesystem::absolute(folder);
    }
    for (FileContent& file : options.restore_afterwards) {
        file.path = std::filesystem::absolute(file.path);
    }
    for (std::filesystem::path& group : options.remove_cgroups_afterwards) {
        group = std::filesystem::absolute(group);
    }
    for (SupervisedCommand& command : options.commands) {
        if (!command.output.empty()) {
            command.output = std::filesystem::absolute(command.output);
        }
    }
    if (options.scratch_prefix) {
        options.scratch_prefix = std::filesystem::absolute(*options.scratch_prefix);
    }
    Guardian guardian;
    guardian.link_.reset(ends[0]);
    Fd other_end(ends[1]);
    guardian.folders_ = options.remove_afterwards;
    guardian.files_ = options.restore_afterwards;
    guardian.cgroups_ = options.remove_cgroups_afterwards;
    guardian.guardian_ = syscalls().fork();
    if (guardian.guardian_ == 0) {
        run_guardian(options, other_end.get());
    }
    if (guardian.guardian_ < 0) {
        return errno_error("fork", "guardian");
    }
    other_end.reset();
    if (const Status status = guardian.await_start(
            options.commands, options.scratch_prefix.value_or(std::filesystem::path()));
        !status) {
        static_cast<void>(guardian.stop(Duration::zero()));
        return status.error();
    }
    return guardian;
}

Status Guardian::await_start(const std::vector<SupervisedCommand>& commands,
                             const std::filesystem::path& scratch_prefix) {
    pids_.reserve(commands.size());
    GuardianEvent event;
    while (receive(link_.get(), event, 0)) {
        switch (event.kind) {
            case Kind::scratch_made:
                scratch_ = scratch_prefix.string() + event.text.data();
                folders_.push_back(scratch_);
                break;
            case Kind::scratch_failed:
                return Error{event.value, "mkdtemp", scratch_prefix.string() + "XXXXXX", {}};
            case Kind::started:
                pids_.push_back(event.value);
                break;
            case Kind::start_failed:
                return start_error(event, commands);
            case Kind::ready:
                return {};
            default:
                break;
        }
    }
    return plain_error("start", "guardian", "it ended at once");
}

Guardian::Guardian(Guardian&& other) noexcept
    : link_(std::move(other.link_)),
      guardian_(std::exchange(other.guardian_, -1)),
      pids_(std::move(other.pids_)),
      exits_(std::move(other.exits_)),
      scratch_(std::move(other.scratch_)),
      folders_(std::move(other.folders_)),
      files_(std::move(other.files_)),
      cgroups_(std::move(other.cgroups_)),
      total_(other.total_) {}

Guardian& Guardian::operator=(Guardian&& other) noexcept {
    if (this != &other) {
        static_cast<void>(stop(Duration::zero()));
        link_ = std::move(other.link_);
        guardian_ = std::exchange(other.guardian_, -1);
        pids_ = std::move(other.pids_);
        exits_ = std::move(other.exits_);
        scratch_ = std::move(other.scratch_);
        folders_ = std::move(other.folders_);
        files_ = std::move(other.files_);
        cgroups_ = std::move(other.cgroups_);
        total_ = other.total_;
    }
    return *this;
}

Guardian::~Guardian() {
    static_cast<void>(stop(Duration::zero()));
}

const std::vector<SupervisedExit>& Guardian::poll_exits() {
    GuardianEvent event;
    while (link_.valid() && receive(link_.get(), event, MSG_DONTWAIT)) {
        if (event.kind == Kind::exited) {
            exits_.push_back(to_exit(event));
        }
    }
    return exits_;
}

Result<TreeUsage> Guardian::usage() {
    if (total_) {
        return *total_;
    }
    constexpr Duration kPatience = std::chrono::seconds(30);
    const TimePoint until = MonotonicClock::now() + kPatience;
    const GuardianOrder order{GuardianOrder::Kind::account, 0, 0};
    GuardianEvent event;
    if (guardian_ >= 0 && send_order(link_.get(), order)) {
        while (wait_for_event(link_.get(), until) && receive(link_.get(), event, 0)) {
            if (event.kind == Kind::used) {
                return to_usage(event.usage);
            }
            if (event.kind == Kind::exited) {
                exits_.push_back(to_exit(event));
            }
        }
    }
    return plain_error("account for", "commands", "their guardian is gone");
}

bool Guardian::gone() const {
    pollfd fd{link_.get(), 0, 0};
    return !link_.valid() || (::poll(&fd, 1, 0) > 0 && (fd.revents & POLLHUP) != 0);
}

Status Guardian::stop(Duration grace, int signal) {
    if (guardian_ < 0) {
        return {};
    }
    constexpr Duration kPatience = std::chrono::seconds(60);
    // A guardian that is gone takes no order, and needs none.
    static_cast<void>(send_order(link_.get(), {GuardianOrder::Kind::stop, signal,
                                               std::max(grace, Duration::zero()).count()}));
    Status status = await_end(MonotonicClock::now() + grace + kPatience);
    link_.reset();
    guardian_ = -1;
    return status;
}

Status Guardian::await_end(TimePoint patience) {
    std::optional<Error> failure;
    while (true) {
        if (!wait_for_event(link_.get(), patience)) {
            ::kill(guardian_, SIGKILL);
            break;
        }
        GuardianEvent event;
        if (!receive(link_.get(), event, 0)) {
            break;
        }
        if (event.kind == Kind::exited) {
            exits_.push_back(to_exit(event));
        } else if (event.kind == Kind::used) {
            total_ = to_usage(event.usage);
        } else if (event.kind == Kind::cgroup_failed && event.index < cgroups_.size()) {
            failure = Error{event.value, event.text.data(), cgroups_[event.index].string(),
                            "to remove the cgroup"};
        } else if (event.kind == Kind::removal_failed && event.index < folders_.size()) {
            failure = Error{event.value, "remove", folders_[event.index].string(), {}};
        } else if (event.kind == Kind::restore_failed && event.index < files_.size()) {
            failure = Error{event.value, event.text.data(), files_[event.index].path.string(),
                            "to write back what it held"};
        }
    }
    if (const int status = reap(guardian_); status != 0) {
        return clean_up_ourselves(status);
    }
    return failure ? Status(*failure) : Status();
}

/// The guardian was killed; its commands died with it, what they had started may not have.
Status Guardian::clean_up_ourselves(int wait_status) {
    for (std::size_t index = 0; index < pids_.size(); ++index) {
        const bool ended = std::any_of(exits_.begin(), exits_.end(),
                                       [&](const auto& one) { return one.index == index; });
        if (!ended) {
            ::kill(-pids_[index], SIGKILL);
        }
    }
    for (auto group = cgroups_.rbegin(); group != cgroups_.rend(); ++group) {
        static_cast<void>(remove_cgroup(group->string()));
    }
    for (auto file = files_.rbegin(); file != files_.rend(); ++file) {
        static_cast<void>(restore_file(*file));
    }
    for (const std::filesystem::path& folder : folders_) {
        std::error_code ignored;
        std::filesystem::remove_all(folder, ignored);
    }
    return plain_error("guard", "load",
                       "its guardian ended early: " + SupervisedExit{0, {}, wait_status}.text());
}

}  // namespace bench
