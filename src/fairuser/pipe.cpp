#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "common/fd.h"
#include "common/syscalls.h"
#include "fairuser/workload.h"

namespace bench::fairuser {
namespace {

bool take(int fd, char& token) {
    ssize_t got = -1;
    do {
        got = ::read(fd, &token, 1);
    } while (got < 0 && errno == EINTR);
    return got == 1;
}

bool give(int fd, char token) {
    ssize_t put = -1;
    do {
        put = ::write(fd, &token, 1);
    } while (put < 0 && errno == EINTR);
    return put == 1;
}

/// Passes the token on for ever. Both of a pair count, by themselves: only one of them runs at a
/// time.
int pass_on(const UserRun& run, std::size_t job, int from, int to, bool begins) {
    std::atomic<std::uint64_t>& passings = run.job(job).work;
    run.wait_for_start();
    char token = 0;
    if (begins && !give(to, token)) {
        return EXIT_FAILURE;
    }
    while (take(from, token)) {
        passings.store(passings.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        if (!give(to, token)) {
            break;
        }
    }
    return EXIT_FAILURE;
}

bool start_pair(const UserRun& run, std::size_t job) {
    std::array<int, 2> there{-1, -1};
    std::array<int, 2> back{-1, -1};
    if (syscalls().pipe2(there.data(), O_CLOEXEC) != 0) {
        run.slot().fail(fmt::format("pipe: {}", std::strerror(errno)));
        return false;
    }
    const Fd there_read(there[0]);
    const Fd there_write(there[1]);
    if (syscalls().pipe2(back.data(), O_CLOEXEC) != 0) {
        run.slot().fail(fmt::format("pipe: {}", std::strerror(errno)));
        return false;
    }
    const Fd back_read(back[0]);
    const Fd back_write(back[1]);
    // No end is held but by the one who uses it: so each sees its partner die.
    const auto begin = [&] {
        ::close(there[0]);
        ::close(back[1]);
        return pass_on(run, job, back[0], there[1], true);
    };
    const auto answer = [&] {
        ::close(there[1]);
        ::close(back[0]);
        return pass_on(run, job, there[0], back[1], false);
    };
    return start_child(run, begin) > 0 && start_child(run, answer) > 0;
}

}  // namespace

Workload pipe_workload(const UserSpec& user) {
    Workload workload;
    workload.waiting = 2 * static_cast<std::uint32_t>(user.jobs);
    workload.job_slots = static_cast<std::size_t>(user.jobs);
    workload.tasks = workload.waiting;
    workload.body = [](const UserRun& run) {
        for (std::int64_t job = 0; job < run.user.jobs; ++job) {
            if (!start_pair(run, static_cast<std::size_t>(job))) {
                return EXIT_FAILURE;
            }
        }
        return wait_for_children();
    };
    return workload;
}

}  // namespace bench::fairuser
