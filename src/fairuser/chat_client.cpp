#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <numeric>

#include "fairuser/chat.h"

namespace bench::fairuser {
namespace {

struct Chatter {
    Fd socket;
    std::uint32_t room = 0;
    std::uint32_t number = 0;  ///< within its room
    std::uint64_t sent = 0, received = 0;
    bool complete = false;
    JobSlot* progress = nullptr;
};

Result<Fd> connect_to(std::uint16_t port) {
    Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket.valid()) {
        return errno_error("socket");
    }
    const sockaddr_in address = chat_address(port);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return errno_error("connect", "127.0.0.1:" + std::to_string(port));
    }
    set_no_delay(socket.get());
    return socket;
}

Status let_in(std::vector<Chatter>& chatters, const ChatSize& size, std::uint16_t port) {
    for (std::int64_t i = 0; i < size.connections(); ++i) {
        auto socket = connect_to(port);
        if (!socket) {
            return socket.error();
        }
        Chatter& chatter = chatters[static_cast<std::size_t>(i)];
        chatter.socket = std::move(*socket);
        chatter.room = static_cast<std::uint32_t>(i / size.users);
        chatter.number = static_cast<std::uint32_t>(i % size.users);
        ChatMessage hello;
        hello.room = chatter.room;
        hello.chatter = chatter.number;
        if (!send_chat(chatter.socket.get(), hello)) {
            return errno_error("send", "chat", "joining a room");
        }
    }
    for (const Chatter& chatter : chatters) {
        ChatMessage welcome;
        if (!receive_chat(chatter.socket.get(), welcome)) {
            return plain_error("chat", "", "the server hung up on a chatter that joined");
        }
    }
    return {};
}

void talk(Chatter& chatter, std::int64_t messages) {
    ChatMessage message;
    message.room = chatter.room;
    message.chatter = chatter.number;
    for (std::int64_t i = 0; i < messages; ++i) {
        message.number = static_cast<std::uint64_t>(i);
        if (!send_chat(chatter.socket.get(), message)) {
            return;
        }
        ++chatter.sent;
        chatter.progress->work.fetch_add(1, std::memory_order_relaxed);
    }
}

void listen_to_all(Chatter& chatter, const ChatSize& size) {
    std::vector<std::uint64_t> next(static_cast<std::size_t>(size.users), 0);
    const auto due = static_cast<std::uint64_t>(size.messages * (size.users - 1));
    ChatMessage message;
    while (chatter.received < due && receive_chat(chatter.socket.get(), message)) {
        const bool expected = message.room == chatter.room && message.chatter < next.size() &&
                              message.chatter != chatter.number &&
                              message.number == next[message.chatter];
        if (!expected) {
            return;
        }
        ++next[message.chatter];
        ++chatter.received;
        chatter.progress->work.fetch_add(1, std::memory_order_relaxed);
    }
    chatter.complete = chatter.received == due;
    chatter.progress->ended_ns = MonotonicClock::now().time_since_epoch().count();
}

/// How many threads still talk or listen; the one who waits for them learns of the last at once.
class Talking {
  public:
    void begin() { ++threads_; }
    void end() {
        const std::lock_guard lock(mutex_);
        if (--threads_ == 0) {
            none_.notify_all();
        }
    }
    /// true: all have ended.
    bool wait_for(Duration time) {
        std::unique_lock lock(mutex_);
        return none_.wait_for(lock, time, [&] { return threads_ == 0; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable none_;
    std::size_t threads_ = 0;
};

void hang_up(const std::vector<Chatter>& chatters) {
    for (const Chatter& chatter : chatters) {
        ::shutdown(chatter.socket.get(), SHUT_RDWR);
    }
}

/// Waits for all to end; hangs up, and tells so, once nothing has moved for `patience`. Counted in
/// looks that found nothing new: a chat that does not get to run is not looked at either.
bool give_up_when_stalled(const std::vector<Chatter>& chatters, Talking& talking,
                          Duration patience) {
    constexpr int kLooks = 100;
    const auto moved = [&] {
        return std::accumulate(chatters.begin(), chatters.end(), std::uint64_t{0},
                               [](std::uint64_t sum, const Chatter& chatter) {
                                   return sum +
                                          chatter.progress->work.load(std::memory_order_relaxed);
                               });
    };
    std::uint64_t before = moved();
    int idle = 0;
    while (!talking.wait_for(patience / kLooks)) {
        const std::uint64_t now = moved();
        idle = now == before ? idle + 1 : 0;
        before = now;
        if (idle == kLooks) {
            hang_up(chatters);
            return true;
        }
    }
    return false;
}

}  // namespace

Result<ChatCounts> run_chatters(const ChatSize& size, std::uint16_t port,
                                std::span<JobSlot> progress, const std::function<void()>& start,
                                Duration patience) {
    std::vector<Chatter> chatters(static_cast<std::size_t>(size.connections()));
    assert(progress.size() == chatters.size());
    for (std::size_t i = 0; i < chatters.size(); ++i) {
        chatters[i].progress = &progress[i];
    }
    if (Status joined = let_in(chatters, size, port); !joined) {
        return joined.error();
    }
    std::atomic<std::uint32_t> gate{0};
    bool started = true;
    bool stalled = false;
    Talking talking;
    {
        ChatThreads threads;
        const auto run = [&](const std::function<void()>& body) {
            talking.begin();
            started = started && threads.start([&gate, &talking, body] {
                gate.wait(0);
                body();
                talking.end();
            });
        };
        for (Chatter& chatter : chatters) {
            Chatter* one = &chatter;
            run([one, &size] { talk(*one, size.messages); });
            run([one, &size] { listen_to_all(*one, size); });
        }
        if (!started) {
            // Those that there are must end: a chat without them all would never.
            hang_up(chatters);
        } else {
            start();
        }
        gate.store(1);
        gate.notify_all();
        stalled = started && give_up_when_stalled(chatters, talking, patience);
    }
    if (!started) {
        return plain_error("chat", "", "the kernel has no more threads for the chatters");
    }
    ChatCounts counts;
    counts.complete = true;
    counts.stalled = stalled;
    for (const Chatter& chatter : chatters) {
        counts.sent += chatter.sent;
        counts.received += chatter.received;
        counts.complete = counts.complete && chatter.complete;
    }
    return counts;
}

}  // namespace bench::fairuser
