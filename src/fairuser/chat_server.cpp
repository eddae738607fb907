#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

#include "fairuser/chat.h"

namespace bench::fairuser {
namespace {

/// What is to be sent on one connection. It grows as it must: a server that made its readers wait
/// for slow writers could stand still, and one that dropped anything would lose messages.
class Outbox {
  public:
    void put(const ChatMessage& message) {
        {
            const std::lock_guard lock(mutex_);
            messages_.push_back(message);
        }
        filled_.notify_one();
    }

    void close() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        filled_.notify_one();
    }

    /// Waits for the next; false when it is closed and empty.
    bool take(ChatMessage& message) {
        std::unique_lock lock(mutex_);
        filled_.wait(lock, [&] { return closed_ || !messages_.empty(); });
        if (messages_.empty()) {
            return false;
        }
        message = messages_.front();
        messages_.pop_front();
        return true;
    }

  private:
    std::mutex mutex_;
    std::condition_variable filled_;
    std::deque<ChatMessage> messages_;
    bool closed_ = false;
};

struct Connection {
    Fd socket;
    std::size_t room = 0;
    Outbox outbox;
};

/// Complete before the first message: each chatter waits until all have been let in.
class Server {
  public:
    Server(const ChatSize& size, int listener) : size_(size), listener_(listener) {}

    int serve() {
        if (!let_all_in()) {
            return EXIT_FAILURE;
        }
        ChatThreads threads;
        for (auto& connection : connections_) {
            Connection* one = connection.get();
            if (!threads.start([this, one] { read_from(*one); }) ||
                !threads.start([one] { write_to(*one); })) {
                return EXIT_FAILURE;
            }
        }
        // Only now: what a chatter says must find everybody.
        for (auto& connection : connections_) {
            if (!send_chat(connection->socket.get(), {})) {
                return EXIT_FAILURE;
            }
        }
        threads.join();
        return EXIT_SUCCESS;
    }

  private:
    bool let_all_in() {
        rooms_.resize(static_cast<std::size_t>(size_.rooms));
        for (std::int64_t i = 0; i < size_.connections(); ++i) {
            Fd socket;
            do {
                socket.reset(::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC));
            } while (!socket.valid() && errno == EINTR);
            ChatMessage hello;
            if (!socket.valid() || !receive_chat(socket.get(), hello) ||
                hello.room >= rooms_.size()) {
                return false;
            }
            set_no_delay(socket.get());
            auto connection = std::make_unique<Connection>();
            connection->socket = std::move(socket);
            connection->room = hello.room;
            rooms_[hello.room].push_back(connection.get());
            connections_.push_back(std::move(connection));
        }
        return true;
    }

    void read_from(Connection& connection) {
        ChatMessage message;
        while (receive_chat(connection.socket.get(), message)) {
            for (Connection* other : rooms_[connection.room]) {
                if (other != &connection) {
                    other->outbox.put(message);
                }
            }
        }
        // This chatter has all that it waited for, or is dead; others may still wait for theirs.
        connection.outbox.close();
    }

    static void write_to(Connection& connection) {
        ChatMessage message;
        while (connection.outbox.take(message) && send_chat(connection.socket.get(), message)) {
        }
    }

    ChatSize size_;
    int listener_;
    std::vector<std::unique_ptr<Connection>> connections_;
    std::vector<std::vector<Connection*>> rooms_;
};

}  // namespace

int run_chat_server(const ChatSize& size, int listener) {
    return Server(size, listener).serve();
}

Result<Fd> listen_for_chat(std::uint16_t port) {
    Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!listener.valid()) {
        return errno_error("socket");
    }
    // Over what is left of an earlier run's connections, never over a living server.
    const int on = 1;
    ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const sockaddr_in address = chat_address(port);
    constexpr int kBacklog = 4096;
    if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener.get(), kBacklog) != 0) {
        return errno_error("listen", "127.0.0.1:" + std::to_string(port));
    }
    return listener;
}

}  // namespace bench::fairuser
