#include "latt/wake_futex.h"

#include <cerrno>
#include <ctime>

#include "common/futex.h"

namespace bench::latt {
namespace {

constexpr timespec slice{.tv_sec = 0, .tv_nsec = 100'000'000};

}  // namespace

Result<std::unique_ptr<WakeChannel>> FutexChannel::create(std::uint32_t clients) {
    auto words = SharedArray<Word>::create(clients);
    if (!words) {
        return words.error();
    }
    auto round = SharedArray<Round>::create(1);
    if (!round) {
        return round.error();
    }
    auto channel = std::make_unique<FutexChannel>();
    channel->words_ = std::move(*words);
    channel->round_ = std::move(*round);
    return std::unique_ptr<WakeChannel>(std::move(channel));
}

void FutexChannel::begin_round() {
    round_[0].replies_out = static_cast<std::uint32_t>(words_.size());
}

bool FutexChannel::wake(std::uint32_t client) noexcept {
    FutexWord& wakes = words_[client].wakes;
    wakes.fetch_add(1);
    return futex_wake_one(wakes) >= 0;
}

Reply FutexChannel::await_reply(std::uint32_t /*client*/, StopSource& /*stop*/) {
    FutexWord& out = round_[0].replies_out;
    // Only the last reply wakes us; those before it just make the value we sleep on stale.
    while (const std::uint32_t expected = out) {
        if (futex_wait(out, expected, &slice) < 0) {
            if (errno == ETIMEDOUT) {
                return Reply::not_yet;
            }
            if (errno != EAGAIN && errno != EINTR) {
                return Reply::failed;
            }
        }
    }
    return Reply::arrived;
}

void FutexChannel::quit() noexcept {
    round_[0].quit = true;
    for (std::uint32_t client = 0; client < words_.size(); ++client) {
        (void)wake(client);
    }
}

bool FutexChannel::wait(std::uint32_t client) noexcept {
    Word& word = words_[client];
    while (word.wakes == word.seen) {
        if (futex_wait(word.wakes, word.seen, nullptr) < 0 && errno != EAGAIN && errno != EINTR) {
            return false;
        }
    }
    ++word.seen;
    return !round_[0].quit;
}

bool FutexChannel::reply(std::uint32_t /*client*/) noexcept {
    FutexWord& out = round_[0].replies_out;
    return out.fetch_sub(1) != 1 || futex_wake_one(out) >= 0;
}

std::vector<int> FutexChannel::client_fds(std::uint32_t /*client*/) const {
    return {};
}

}  // namespace bench::latt
