#include "latt/wake_eventfd.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

namespace bench::latt {
namespace {

constexpr int slice_ms = 100;

bool add_one(int fd) {
    const std::uint64_t one = 1;
    ssize_t put = 0;
    do {
        put = ::write(fd, &one, sizeof one);
    } while (put < 0 && errno == EINTR);
    return put == sizeof one;
}

bool take(int fd) {
    std::uint64_t count = 0;
    ssize_t got = 0;
    do {
        got = ::read(fd, &count, sizeof count);
    } while (got < 0 && errno == EINTR);
    return got == sizeof count;
}

}  // namespace

Result<std::unique_ptr<WakeChannel>> EventfdChannel::create(std::uint32_t clients) {
    auto channel = std::make_unique<EventfdChannel>();
    auto quit = SharedArray<std::atomic<bool>>::create(1);
    if (!quit) {
        return quit.error();
    }
    channel->quit_ = std::move(*quit);
    channel->events_.resize(clients);
    for (Events& events : channel->events_) {
        events.wake.reset(::eventfd(0, EFD_CLOEXEC));
        events.reply.reset(::eventfd(0, EFD_CLOEXEC));
        if (!events.wake.valid() || !events.reply.valid()) {
            return errno_error("eventfd", "wake channel");
        }
    }
    return std::unique_ptr<WakeChannel>(std::move(channel));
}

bool EventfdChannel::wake(std::uint32_t client) noexcept {
    return add_one(events_[client].wake.get());
}

Reply EventfdChannel::await_reply(std::uint32_t client, StopSource& /*stop*/) {
    pollfd waited{.fd = events_[client].reply.get(), .events = POLLIN, .revents = 0};
    const int ready = ::poll(&waited, 1, slice_ms);
    if (ready == 0 || (ready < 0 && errno == EINTR)) {
        return Reply::not_yet;
    }
    return ready > 0 && take(waited.fd) ? Reply::arrived : Reply::failed;
}

void EventfdChannel::quit() noexcept {
    quit_[0] = true;
    for (Events& events : events_) {
        (void)add_one(events.wake.get());
    }
}

bool EventfdChannel::wait(std::uint32_t client) noexcept {
    return take(events_[client].wake.get()) && !quit_[0];
}

bool EventfdChannel::reply(std::uint32_t client) noexcept {
    return add_one(events_[client].reply.get());
}

std::vector<int> EventfdChannel::client_fds(std::uint32_t client) const {
    return {events_[client].wake.get(), events_[client].reply.get()};
}

}  // namespace bench::latt
