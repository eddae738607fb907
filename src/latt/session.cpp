#include "latt/session.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include "common/clock.h"

namespace bench::latt {
namespace {

std::int64_t nanoseconds(TimePoint time) {
    return time.time_since_epoch().count();
}
std::int64_t now_ns() noexcept {
    return nanoseconds(MonotonicClock::now());
}

constexpr std::string_view noun = "client";

}  // namespace

IgnoreSigpipe::IgnoreSigpipe() : previous_(std::signal(SIGPIPE, SIG_IGN)) {}
IgnoreSigpipe::~IgnoreSigpipe() {
    if (previous_ != SIG_ERR) {
        std::signal(SIGPIPE, previous_);
    }
}

std::uint32_t Session::client_seed(std::uint64_t seed, std::uint32_t index) {
    return static_cast<std::uint32_t>(derive_seed(seed, std::uint64_t{index} + 1));
}

Session::Session(const Plan& plan, StopSource& stop) : plan_(plan), stop_(stop) {}

Session::~Session() {
    if (channel_) {
        channel_->quit();  // threads can't be killed: they must be told before the group goes
    }
    group_.reset();
}

Result<std::unique_ptr<Session>> Session::start(const Plan& plan, StopSource& stop,
                                                const SystemRoot& system) {
    std::unique_ptr<Session> session(new Session(plan, stop));
    auto slots = SharedArray<ClientSlot>::create(plan.clients);
    if (!slots) {
        return slots.error();
    }
    session->slots_ = std::move(*slots);
    auto channel = WakeChannel::create(plan.options.wake, plan.clients);
    if (!channel) {
        return channel.error();
    }
    session->channel_ = std::move(*channel);

    auto* self = session.get();
    WorkerGroup::Options options;
    options.count = plan.clients;
    options.kind = plan.options.threads ? WorkerKind::thread : WorkerKind::process;
    options.noun = noun;
    options.settings = plan.settings;
    options.keep_fds = [self](std::uint32_t index) { return self->channel_->client_fds(index); };
    options.body = [self](std::uint32_t index) { return self->client_main(index); };
    auto group = WorkerGroup::start(std::move(options), stop, system);
    if (!group) {
        return group.error();
    }
    session->group_.emplace(std::move(*group));
    if (!plan.options.threads) {
        session->channel_->close_client_ends();
    }
    return session;
}

int Session::client_main(std::uint32_t index) noexcept {
    ClientSlot& slot = slots_[index];
    ClassicRandom random(client_seed(plan_.seed, index));
    const std::size_t bytes = plan_.options.work.bytes;
    const WorkFunction work = plan_.work;
    while (channel_->wait(index)) {
        const std::int64_t woken = now_ns();
        int status = 0;
        std::int64_t done = woken;
        if (bytes > 0) {
            status = work(random, bytes).status;
            done = now_ns();
        }
        slot.woken_ns = woken;
        slot.done_ns = done;
        slot.work_status = status;
        if (!channel_->reply(index) || status != 0) {
            return 1;
        }
    }
    return 0;
}

Result<StopReason> Session::run() {
    const IgnoreSigpipe ignore_sigpipe;
    Random random(derive_seed(plan_.seed, 0));
    recording_.start_ns = now_ns();
    group_->release();
    while (recording_.rounds.size() != plan_.max_rounds) {
        const TimePoint planned = MonotonicClock::now() + draw_wait(random, plan_.options);
        StopReason reason = stop_.wait_until(planned);
        const std::int64_t actual = now_ns();
        if (reason == StopReason::none) {
            auto done = round({nanoseconds(planned), actual});
            if (!done) {
                return done.error();
            }
            reason = *done;
        }
        if (reason != StopReason::none) {
            return reason;
        }
    }
    return StopReason::deadline;
}

Result<StopReason> Session::round(const RoundStart& start) {
    channel_->begin_round();
    for (std::uint32_t client = 0; client < plan_.clients; ++client) {
        slots_[client].sent_ns = now_ns();
        if (!channel_->wake(client)) {
            return lost(client);
        }
    }
    for (std::uint32_t client = 0; client < plan_.clients; ++client) {
        auto reply = await_reply(client);
        if (!reply || *reply != StopReason::none) {
            return reply;
        }
    }
    for (std::uint32_t client = 0; client < plan_.clients; ++client) {
        if (const int status = slots_[client].work_status; status != 0) {
            return plain_error("work",
                               fmt::format("client {} (pid {})", client, group_->pid(client)),
                               fmt::format("zlib says {}", zlib_status_text(status)));
        }
    }
    recording_.rounds.push_back(start);
    for (std::uint32_t client = 0; client < plan_.clients; ++client) {
        recording_.add(client, slots_[client]);
    }
    return StopReason::none;
}

Result<StopReason> Session::await_reply(std::uint32_t client) {
    for (;;) {
        switch (channel_->await_reply(client, stop_)) {
            case Reply::arrived:
                return StopReason::none;
            case Reply::signal:
                return StopReason::signal;
            case Reply::gone:
                return lost(client);
            case Reply::failed:
                return errno_error("wait for", fmt::format("client {}", client));
            case Reply::not_yet:
                if (stop_.check() == StopReason::signal) {
                    return StopReason::signal;
                }
                if (const auto death = group_->find_death()) {
                    return plain_error({}, {}, death->message(noun));
                }
                break;
        }
    }
}

// The channel breaks a moment before the kernel lets us reap the client.
Error Session::lost(std::uint32_t client) {
    const int code = errno;
    using namespace std::chrono_literals;
    for (int attempt = 0; attempt < 1000; ++attempt) {
        if (const auto death = group_->find_death()) {
            return plain_error({}, {}, death->message(noun));
        }
        std::this_thread::sleep_for(1ms);
    }
    return plain_error("client", std::to_string(client),
                       fmt::format("its wake channel broke ({})", std::strerror(code)));
}

Status Session::finish(Duration timeout) {
    channel_->quit();
    Status status = group_->finish(timeout);
    finished_ = status.ok();
    return status;
}

std::vector<WorkerAccounting> Session::accounting() const {
    std::vector<WorkerAccounting> all;
    if (finished_) {
        for (std::uint32_t client = 0; client < plan_.clients; ++client) {
            all.push_back(group_->accounting(client));
        }
    }
    return all;
}

}  // namespace bench::latt
