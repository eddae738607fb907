#include "massive_intr/session.h"

#include <unistd.h>

#include <algorithm>
#include <span>

#include "common/shared_array.h"
#include "common/signal_name.h"
#include "massive_intr/workload.h"

namespace bench::massive_intr {
namespace {

using namespace std::chrono_literals;

std::int64_t nanoseconds(TimePoint time) {
    return time.time_since_epoch().count();
}

/// The memory parent and processes share.
struct Shared {
    SharedArray<SharedState> state;
    SharedArray<ProcessSlot> slots;
    SharedArray<std::int64_t> samples;
    std::size_t room = 0;  ///< samples a process

    [[nodiscard]] static Result<Shared> create(const SessionPlan& plan) {
        const std::size_t room = sample_room(plan.duration, plan.work, plan.sleep);
        auto state = SharedArray<SharedState>::create(1);
        auto slots = SharedArray<ProcessSlot>::create(plan.processes);
        auto samples = SharedArray<std::int64_t>::create(plan.processes * room);
        if (!state || !slots || !samples) {
            Error error = !state ? state.error() : !slots ? slots.error() : samples.error();
            error.not_started = true;
            return error;
        }
        return Shared{std::move(*state), std::move(*slots), std::move(*samples), room};
    }

    [[nodiscard]] std::span<std::int64_t> samples_of(std::uint32_t index) {
        return {&samples[index * room], room};
    }

    [[nodiscard]] bool all_finished(std::uint32_t processes) {
        return state[0].finished.load(std::memory_order_acquire) == processes;
    }
};

/// A fork does not take over the page tables of shared memory: without this the first sample on
/// each page would be taken in a page fault.
void touch_pages(std::span<std::int64_t> samples) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / sizeof(std::int64_t);
    for (std::size_t at = 0; at < samples.size(); at += page) {
        volatile std::int64_t& sample = samples[at];
        sample = 0;
    }
    volatile std::int64_t& last = samples.back();
    last = 0;
}

int process_main(const SessionPlan& plan, Shared& shared, std::uint32_t index) noexcept {
    SharedState& state = shared.state[0];
    ProcessSlot& slot = shared.slots[index];
    const TimePoint start{Duration(state.start_ns)};
    Machine machine;
    work_until_end(machine, {start + plan.duration, plan.loops, plan.sleep},
                   shared.samples_of(index), slot);
    slot.place = state.finished.fetch_add(1, std::memory_order_acq_rel);
    return 0;
}

/// How long after the end the last process may still be at work: what all have to do at once, many
/// times over, for policies that let one run to its end before the next begins.
Duration patience(const SessionPlan& plan) {
    constexpr Duration kLongest = 24h;
    const auto all = std::chrono::duration<double>(plan.work) * plan.processes * 10;
    return 60s + (all < kLongest ? std::chrono::duration_cast<Duration>(all) : kLongest);
}

bool ended_well(const WorkerDeath& death) {
    return death.signal == 0 && death.exit_code == 0;
}

/// Returns once all have finished or none ever will.
Status wait_for_all(const SessionPlan& plan, Shared& shared, WorkerGroup& group, StopSource& stop) {
    constexpr Duration kBetweenLooks = 500ms;  // for one that died
    constexpr Duration kAtTheEnd = 10ms;
    const TimePoint end = TimePoint(Duration(shared.state[0].start_ns)) + plan.duration;
    const TimePoint given_up = end + patience(plan);
    stop.set_deadline(given_up);
    while (!shared.all_finished(plan.processes)) {
        const TimePoint now = MonotonicClock::now();
        if (now >= given_up) {
            return group.finish(Duration::zero());
        }
        const TimePoint look = now < end ? std::min(end, now + kBetweenLooks) : now + kAtTheEnd;
        switch (stop.wait_until(look)) {
            case StopReason::signal:
                return plain_error("run", "workers",
                                   "stopped by " + signal_name(stop.signal_number()));
            case StopReason::load_ended:
                stop.watch_load(-1);
                break;
            case StopReason::none:
            case StopReason::deadline:
                break;
        }
        if (const auto death = group.find_death(); death && !ended_well(*death)) {
            return plain_error("run", "workers", death->message("worker"));
        }
    }
    return group.finish(60s);
}

Recording collect(const SessionPlan& plan, Shared& shared, const WorkerGroup& group) {
    Recording recording;
    recording.reserve(plan.processes);
    for (std::uint32_t index = 0; index < plan.processes; ++index) {
        const ProcessSlot& slot = shared.slots[index];
        const auto samples = shared.samples_of(index).first(slot.loops - slot.unsampled);
        recording.push_back({.pid = group.pid(index),
                             .loops = slot.loops,
                             .elapsed = Duration(slot.ended_ns - shared.state[0].start_ns),
                             .place = slot.place,
                             .oversleep_ns = {samples.begin(), samples.end()},
                             .unsampled = slot.unsampled,
                             .accounting = group.accounting(index),
                             .readback = group.readback(index)});
    }
    return recording;
}

}  // namespace

Result<Recording> run_session(const SessionPlan& plan, StopSource& stop, const SystemRoot& system) {
    auto shared = Shared::create(plan);
    if (!shared) {
        return shared.error();
    }
    WorkerGroup::Options options;
    options.count = plan.processes;
    options.noun = "worker";
    options.settings = plan.settings;
    options.prepare = [&shared](std::uint32_t index) -> Status {
        touch_pages(shared->samples_of(index));
        shared->slots[index] = {};
        (void)shared->state[0].finished.load();
        return {};
    };
    options.body = [&](std::uint32_t index) { return process_main(plan, *shared, index); };
    auto group = WorkerGroup::start(std::move(options), stop, system);
    if (!group) {
        return group.error();
    }
    shared->state[0].start_ns = nanoseconds(MonotonicClock::now());
    group->release();
    if (Status ended = wait_for_all(plan, *shared, *group, stop); !ended) {
        return ended.error();
    }
    return collect(plan, *shared, *group);
}

std::uint64_t session_memory(const SessionPlan& plan) {
    const std::uint64_t samples = sample_room(plan.duration, plan.work, plan.sleep);
    return plan.processes * (samples * sizeof(std::int64_t) + sizeof(ProcessSlot));
}

}  // namespace bench::massive_intr
