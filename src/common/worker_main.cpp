#include "common/worker_main.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>

#include "common/child_setup.h"
#include "common/worker_accounting.h"

namespace bench {
namespace {

Status get_ready(const WorkerJob& job, std::uint32_t index) {
    if (job.options->prepare) {
        if (Status prepared = job.options->prepare(index); !prepared) {
            return prepared;
        }
    }
    if (Status applied = apply_settings(job.options->settings, index); !applied) {
        return applied;
    }
    const Result<WorkerReadback> readback = read_back_self();
    if (!readback) {
        return readback.error();
    }
    if (!job.arena->store_readback(index, *readback)) {
        return Error{ENOBUFS, "store", "CPU list " + readback->cpus_allowed, {}};
    }
    job.arena->slot(index).tid = ::gettid();
    return {};
}

void notify(const WorkerJob& job) {
    const char byte = 1;
    while (::write(job.notify_fd, &byte, 1) < 0 && errno == EINTR) {
    }
}

/// Marks this worker as ready; true for the last one.
bool report_ready(const WorkerJob& job, std::uint32_t index) {
    job.arena->slot(index).ready.store(1, std::memory_order_release);
    return job.arena->control().ready.fetch_add(1, std::memory_order_acq_rel) + 1 ==
           job.options->count;
}

Go wait_at_barrier(FutexWord& go) {
    std::uint32_t value = go.load(std::memory_order_acquire);
    while (value == static_cast<std::uint32_t>(Go::wait)) {
        futex_wait(go, value);
        value = go.load(std::memory_order_acquire);
    }
    return static_cast<Go>(value);
}

/// From the barrier to the end of the body. `before` was read just ahead of it.
int work(const WorkerJob& job, std::uint32_t index, const WorkerAccounting& before) {
    WorkerControl& control = job.arena->control();
    if (wait_at_barrier(control.go) == Go::give_up) {
        return 0;
    }
    const int result = job.options->body(index);
    WorkerSlot& slot = job.arena->slot(index);
    slot.accounting = accounting_since(before, read_own_accounting(job.schedstat_path));
    slot.exit_value = result;
    slot.ended.store(1, std::memory_order_release);
    if (control.ended.fetch_add(1, std::memory_order_acq_rel) + 1 == job.options->count) {
        futex_wake_all(control.ended);
    }
    return result;
}

/// "bench-client": what ps, top and a trace show.
void name_worker(const WorkerJob& job) {
    ::prctl(PR_SET_NAME, ("bench-" + job.options->noun).c_str(), 0UL, 0UL, 0UL);
}

Status leave_parents_things(const WorkerJob& job, std::uint32_t index, pid_t parent, pid_t group) {
    die_with_parent(parent);
    if (::setpgid(0, group) != 0) {
        return errno_error("setpgid");
    }
    set_worker_signals();
    std::vector<int> keep;
    if (job.options->keep_fds) {
        keep = job.options->keep_fds(index);
    }
    keep.push_back(job.notify_fd);
    return close_fds_except(std::move(keep));
}

}  // namespace

void run_process_worker(const WorkerJob& job, std::uint32_t index, pid_t parent, pid_t group) {
    name_worker(job);
    Status status = leave_parents_things(job, index, parent, group);
    if (status) {
        status = get_ready(job, index);
    }
    if (!status) {
        job.arena->store_failure(index, status.error());
        notify(job);
        ::_exit(EXIT_FAILURE);
    }
    const WorkerAccounting before = read_own_accounting(job.schedstat_path);
    report_ready(job, index);
    // The parent sees the pipe hang up when the last worker has closed it, or died.
    ::close(job.notify_fd);
    // No flush of stdio, no atexit: what the parent had buffered is the parent's to print.
    ::_exit(work(job, index, before));
}

void run_thread_worker(const WorkerJob& job, std::uint32_t index) {
    name_worker(job);
    if (const Status status = get_ready(job, index); !status) {
        job.arena->store_failure(index, status.error());
        notify(job);
        return;
    }
    const WorkerAccounting before = read_own_accounting(job.schedstat_path);
    if (report_ready(job, index)) {
        notify(job);
    }
    work(job, index, before);
}

}  // namespace bench
