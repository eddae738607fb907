#include "common/process_group.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "common/signal_name.h"
#include "common/worker_group_impl.h"

namespace bench {
namespace {

timespec to_timespec(Duration duration) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
    return timespec{seconds.count(), (duration - seconds).count()};
}

}  // namespace

pid_t wait_retrying(pid_t pid, int& status, int flags) {
    pid_t got = -1;
    do {
        got = ::waitpid(pid, &status, flags);
    } while (got < 0 && errno == EINTR);
    return got;
}

std::string WorkerDeath::message(std::string_view noun) const {
    if (signal == 0) {
        return fmt::format("{} {} (pid {}) exited with status {}", noun, index, pid, exit_code);
    }
    return fmt::format("{} {} (pid {}) was killed by {}", noun, index, pid, signal_name(signal));
}

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
        Error error = arena.error();
        error.not_started = true;
        return error;
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
