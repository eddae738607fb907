#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "common/syscalls.h"
#include "common/worker_group_impl.h"
#include "common/worker_limits.h"

namespace bench {

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
    // Taking the byte, if there is one, orders the writer's last use of the pipe before its
    // closing.
    char byte = 0;
    while (syscalls().read(fd, &byte, 1) < 0 && errno == EINTR) {
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
        Error error = explain_refusal(status.error(), options.settings, options.count, system);
        error.not_started = true;
        return error;
    }
    for (std::uint32_t index = 0; index < options.count; ++index) {
        readbacks.push_back(arena.load_readback(index));
        if (!processes) {
            pids.push_back(arena.slot(index).tid);
        }
    }
    return {};
}

}  // namespace bench
