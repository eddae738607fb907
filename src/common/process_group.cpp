#include "common/process_group.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <thread>
#include <unordered_map>

#include "common/syscalls.h"
#include "common/worker_limits.h"
#include "common/worker_main.h"

namespace bench {
namespace {

pid_t wait_retrying(pid_t pid, int& status, int flags) {
    pid_t got = -1;
    do {
        got = ::waitpid(pid, &status, flags);
    } while (got < 0 && errno == EINTR);
    return got;
}

timespec to_timespec(Duration duration) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
    return timespec{seconds.count(), (duration - seconds).count()};
}

}  // namespace

std::string WorkerDeath::message(std::string_view noun) const {
    if (signal == 0) {
        return fmt::format("{} {} (pid {}) exited with status {}", noun, index, pid, exit_code);
    }
    const char* name = ::sigabbrev_np(signal);
    return fmt::format(
        "{} {} (pid {}) was killed by {}", noun, index, pid,
        name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal));
}

struct WorkerGroup::Impl {
    Options options;
    WorkerArena arena;
    WorkerJob job;
    std::vector<pid_t> pids;
    std::vector<WorkerReadback> readbacks;
    std::optional<WorkerDeath> death;  ///< the first one; one that went badly takes precedence

    // Processes.
    std::unordered_map<pid_t, std::uint32_t> living;
    pid_t group = 0;

    // Threads.
    std::vector<std::thread> threads;

    Impl(Options asked, WorkerArena memory, const SystemRoot& system)
        : options(std::move(asked)), arena(std::move(memory)) {
        job.options = &options;
        job.arena = &arena;
        job.schedstat_path = system.resolve("/proc/thread-self/schedstat").string();
    }

    Status start(StopSource& stop, const SystemRoot& system);
    Status fork_all(StopSource& stop, const SystemRoot& system);
    Status create_threads(StopSource& stop, const SystemRoot& system);
    Status wait_ready(int fd, StopSource& stop);
    Error start_error(int code, const char* call, const SystemRoot& system) const;
    Error signal_error(const StopSource& stop, std::size_t started) const;
    Error early_death();

    void open_barrier(Go how);
    void note_death(const WorkerDeath& found);
    void note_exit(pid_t pid, int status);
    void reap();
    void kill_all();
    void join_all();
    void end_all();

    [[nodiscard]] bool all_ended() const {
        return arena.control().ended.load(std::memory_order_acquire) == options.count;
    }
    [[nodiscard]] std::string nouns() const { return options.noun + "s"; }
    Status finish_processes(TimePoint until, Duration timeout);
    Status finish_threads(TimePoint until, Duration timeout);
    [[nodiscard]] Error timeout_error(std::uint32_t index, std::size_t others,
                                      Duration timeout) const;
};

// --- start ---

Error WorkerGroup::Impl::start_error(int code, const char* call, const SystemRoot& system) const {
    const std::size_t started = std::max(pids.size(), threads.size());
    // Looked up while the started ones still count against it.
    const auto limit = exhausted_limit(system, 1);
    const std::string which = limit ? limit_text(*limit) : "not known, perhaps memory";
    return Error{
        code,
        call,
        {},
        fmt::format("{} of {} {} started; limit: {}", started, options.count, nouns(), which)};
}

Error WorkerGroup::Impl::signal_error(const StopSource& stop, std::size_t started) const {
    return Error{EINTR, "start", nouns(),
                 fmt::format("{} of {} started when signal {} came", started, options.count,
                             stop.signal_number())};
}

Status WorkerGroup::Impl::fork_all(StopSource& stop, const SystemRoot& system) {
    constexpr std::uint32_t kForksBetweenChecks = 64;
    const pid_t parent = ::getpid();
    pids.reserve(options.count);
    living.reserve(options.count);
    for (std::uint32_t index = 0; index < options.count; ++index) {
        if (index % kForksBetweenChecks == 0 && stop.check() == StopReason::signal) {
            return signal_error(stop, index);
        }
        const pid_t pid = syscalls().fork();
        if (pid == 0) {
            run_process_worker(job, index, parent, group);
        }
        if (pid < 0) {
            return start_error(errno, "fork", system);
        }
        if (index == 0) {
            group = pid;
        }
        // On both sides, so that neither has to wait for the other.
        ::setpgid(pid, group);
        pids.push_back(pid);
        living.emplace(pid, index);
    }
    return {};
}

Status WorkerGroup::Impl::create_threads(StopSource& stop, const SystemRoot& system) {
    constexpr std::uint32_t kThreadsBetweenChecks = 64;
    threads.reserve(options.count);
    for (std::uint32_t index = 0; index < options.count; ++index) {
        if (index % kThreadsBetweenChecks == 0 && stop.check() == StopReason::signal) {
            return signal_error(stop, index);
        }
        try {
            threads.emplace_back([this, index] { run_thread_worker(job, index); });
        } catch (const std::system_error& failure) {
            return start_error(failure.code().value(), "clone", system);
        }
    }
    return {};
}

Error WorkerGroup::Impl::early_death() {
    for (std::uint32_t index = 0; index < options.count; ++index) {
        if (arena.slot(index).ready.load(std::memory_order_acquire) == 0) {
            int status = 0;
            const pid_t pid = pids[index];
            if (wait_retrying(pid, status, 0) == pid) {
                note_exit(pid, status);
            }
            break;
        }
    }
    return plain_error(
        "start", nouns(),
        death ? death->message(options.noun) + " before the start" : "one ended before the start");
}

Status WorkerGroup::Impl::wait_ready(int fd, StopSource& stop) {
    if (stop.wait_readable(fd) == StopReason::signal) {
        return signal_error(stop, options.count);
    }
    WorkerControl& control = arena.control();
    if (control.failed.load(std::memory_order_acquire) != 0) {
        constexpr std::uint32_t kWritten = 2;
        while (control.failed.load(std::memory_order_acquire) != kWritten) {
            std::this_thread::yield();  // claimed a moment ago
        }
        return arena.load_failure(options.noun);
    }
    if (control.ready.load(std::memory_order_acquire) != options.count) {
        return early_death();
    }
    return {};
}

Status WorkerGroup::Impl::start(StopSource& stop, const SystemRoot& system) {
    std::array<int, 2> ends{-1, -1};
    if (syscalls().pipe2(ends.data(), O_CLOEXEC) != 0) {
        return errno_error("pipe", "start of the " + nouns());
    }
    const Fd read_end(ends[0]);
    Fd write_end(ends[1]);
    job.notify_fd = write_end.get();
    const bool processes = options.kind == WorkerKind::process;
    Status status = processes ? fork_all(stop, system) : create_threads(stop, system);
    if (status) {
        if (processes) {
            write_end.reset();
        }
        status = wait_ready(read_end.get(), stop);
    }
    if (!status) {
        end_all();  // before the pipe goes, which threads still write to
        return status;
    }
    for (std::uint32_t index = 0; index < options.count; ++index) {
        readbacks.push_back(arena.load_readback(index));
        if (!processes) {
            pids.push_back(arena.slot(index).tid);
        }
    }
    return {};
}

// --- end ---

void WorkerGroup::Impl::open_barrier(Go how) {
    FutexWord& go = arena.control().go;
    std::uint32_t closed = static_cast<std::uint32_t>(Go::wait);
    if (go.compare_exchange_strong(closed, static_cast<std::uint32_t>(how),
                                   std::memory_order_release)) {
        futex_wake_all(go);
    }
}

void WorkerGroup::Impl::note_death(const WorkerDeath& found) {
    const auto bad = [](const WorkerDeath& one) { return one.signal != 0 || one.exit_code != 0; };
    if (!death || (!bad(*death) && bad(found))) {
        death = found;
    }
}

void WorkerGroup::Impl::note_exit(pid_t pid, int status) {
    const auto found = living.find(pid);
    if (found == living.end()) {
        return;
    }
    WorkerDeath ended{found->second, pid, 0, 0};
    if (WIFSIGNALED(status)) {
        ended.signal = WTERMSIG(status);
    } else {
        ended.exit_code = WEXITSTATUS(status);
    }
    note_death(ended);
    living.erase(found);
}

void WorkerGroup::Impl::reap() {
    int status = 0;
    while (!living.empty()) {
        const pid_t pid = wait_retrying(-group, status, WNOHANG);
        if (pid <= 0) {
            return;
        }
        note_exit(pid, status);
    }
}

void WorkerGroup::Impl::kill_all() {
    // Each by its own id: it is our unreaped child, so the id can't be anybody else's by now.
    for (const auto& [pid, index] : living) {
        ::kill(pid, SIGKILL);
    }
    for (const auto& [pid, index] : living) {
        int status = 0;
        wait_retrying(pid, status, 0);
    }
    living.clear();
}

void WorkerGroup::Impl::join_all() {
    for (std::thread& thread : threads) {
        if (thread.joinable()) {
            thread.join();
        }
    }
}

void WorkerGroup::Impl::end_all() {
    kill_all();
    open_barrier(Go::give_up);
    join_all();
}

Error WorkerGroup::Impl::timeout_error(std::uint32_t index, std::size_t others,
                                       Duration timeout) const {
    return Error{ETIMEDOUT, "wait for", nouns(),
                 fmt::format("{} {} (pid {}){} had not ended after {} ms", options.noun, index,
                             pids[index], others == 0 ? "" : fmt::format(" and {} more", others),
                             timeout / std::chrono::milliseconds(1))};
}

Status WorkerGroup::Impl::finish_processes(TimePoint until, Duration timeout) {
    // The last worker wakes us; in between a look now and then for one that crashed.
    constexpr Duration kBetweenLooks = std::chrono::milliseconds(100);
    constexpr Duration kWhileExiting = std::chrono::microseconds(500);
    std::optional<Error> late;
    for (reap(); !living.empty(); reap()) {
        const Duration left = until - MonotonicClock::now();
        if (left <= Duration::zero()) {
            const auto first =
                std::min_element(living.begin(), living.end(),
                                 [](const auto& a, const auto& b) { return a.second < b.second; });
            late = timeout_error(first->second, living.size() - 1, timeout);
            kill_all();
            break;
        }
        FutexWord& ended = arena.control().ended;
        const std::uint32_t count = ended.load(std::memory_order_acquire);
        const bool exiting = count == options.count;
        const timespec slice = to_timespec(std::min(left, exiting ? kWhileExiting : kBetweenLooks));
        futex_wait(ended, count, &slice);
    }
    if (death && (death->signal != 0 || death->exit_code != 0)) {
        return plain_error("run", nouns(), death->message(options.noun));
    }
    if (late) {
        return *late;
    }
    return {};
}

Status WorkerGroup::Impl::finish_threads(TimePoint until, Duration timeout) {
    while (!all_ended()) {
        const Duration left = until - MonotonicClock::now();
        if (left <= Duration::zero()) {
            std::uint32_t index = 0;
            while (index + 1 < options.count && arena.slot(index).ended.load() != 0) {
                ++index;
            }
            const std::uint32_t ended = arena.control().ended.load();
            return timeout_error(index, std::max(options.count - ended, 1U) - 1, timeout);
        }
        const std::uint32_t count = arena.control().ended.load(std::memory_order_acquire);
        const timespec slice = to_timespec(left);
        if (count != options.count) {
            futex_wait(arena.control().ended, count, &slice);
        }
    }
    join_all();
    for (std::uint32_t index = 0; index < options.count; ++index) {
        if (const int value = arena.slot(index).exit_value; value != 0) {
            note_death(WorkerDeath{index, pids[index], 0, value});
            return plain_error("run", nouns(), death->message(options.noun));
        }
    }
    return {};
}

// --- the interface ---

WorkerGroup::WorkerGroup(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WorkerGroup::WorkerGroup(WorkerGroup&&) noexcept = default;

WorkerGroup& WorkerGroup::operator=(WorkerGroup&& other) noexcept {
    if (this != &other) {
        if (impl_) {
            impl_->end_all();
        }
        impl_ = std::move(other.impl_);
    }
    return *this;
}

WorkerGroup::~WorkerGroup() {
    if (impl_) {
        impl_->end_all();
    }
}

Result<WorkerGroup> WorkerGroup::start(Options options, StopSource& stop,
                                       const SystemRoot& system) {
    Result<WorkerArena> arena = WorkerArena::create(options.count);
    if (!arena) {
        return arena.error();
    }
    auto impl = std::make_unique<Impl>(std::move(options), std::move(arena).value(), system);
    if (const Status status = impl->start(stop, system); !status) {
        return status.error();
    }
    return WorkerGroup(std::move(impl));
}

void WorkerGroup::release() {
    impl_->open_barrier(Go::run);
}

std::optional<WorkerDeath> WorkerGroup::find_death() {
    if (impl_->options.kind == WorkerKind::process) {
        impl_->reap();
        return impl_->death;
    }
    if (impl_->arena.control().ended.load(std::memory_order_acquire) != 0) {
        for (std::uint32_t index = 0; index < count(); ++index) {
            const WorkerSlot& slot = impl_->arena.slot(index);
            if (slot.ended.load(std::memory_order_acquire) != 0) {
                impl_->note_death(WorkerDeath{index, pid(index), 0, slot.exit_value});
            }
        }
    }
    return impl_->death;
}

Status WorkerGroup::finish(Duration timeout) {
    const TimePoint until = MonotonicClock::now() + timeout;
    impl_->open_barrier(Go::give_up);  // no-op after release()
    return impl_->options.kind == WorkerKind::process ? impl_->finish_processes(until, timeout)
                                                      : impl_->finish_threads(until, timeout);
}

std::uint32_t WorkerGroup::count() const {
    return impl_->options.count;
}
pid_t WorkerGroup::pid(std::uint32_t index) const {
    return impl_->pids.at(index);
}
const WorkerReadback& WorkerGroup::readback(std::uint32_t index) const {
    return impl_->readbacks.at(index);
}
const WorkerAccounting& WorkerGroup::accounting(std::uint32_t index) const {
    return impl_->arena.slot(index).accounting;
}

}  // namespace bench
