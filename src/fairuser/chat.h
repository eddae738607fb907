#pragma once

#include <netinet/in.h>
#include <pthread.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "common/clock.h"
#include "common/fd.h"
#include "common/result.h"
#include "common/sysfs.h"
#include "fairuser/arena.h"
#include "fairuser/options.h"

namespace bench::fairuser {

/// What goes over a connection, as it lies in memory: both ends are this program.
struct ChatMessage {
    std::uint32_t room = 0;
    std::uint32_t chatter = 0;  ///< who sent it, within the room
    std::uint64_t number = 0;   ///< its how manieth, from 0
    char text[48] = {};
};
static_assert(sizeof(ChatMessage) == 64);

/// Whole messages or nothing: false at the end of the connection, and at any error.
[[nodiscard]] bool send_chat(int socket, const ChatMessage& message);
[[nodiscard]] bool receive_chat(int socket, ChatMessage& message);

/// A message is sent when it is said, not when more have come together.
void set_no_delay(int socket);

/// `port` on 127.0.0.1.
[[nodiscard]] sockaddr_in chat_address(std::uint16_t port);

/// Threads with small stacks, for there are thousands. join() or the end waits for all.
class ChatThreads {
  public:
    ChatThreads() = default;
    ChatThreads(const ChatThreads&) = delete;
    ChatThreads& operator=(const ChatThreads&) = delete;
    ~ChatThreads() { join(); }
    /// false: the kernel has no thread for us (errno).
    [[nodiscard]] bool start(std::function<void()> body);
    void join();

  private:
    std::vector<pthread_t> threads_;
};

/// Whether 127.0.0.1 can be talked over: an Error where the interface is down. Where the system
/// does not tell, connecting will.
[[nodiscard]] Status check_loopback(const SystemRoot& system);

/// A listening socket; port 0: the kernel chooses. An Error names the address.
[[nodiscard]] Result<Fd> listen_for_chat(std::uint16_t port);

/// Serves one chat on `listener` until all chatters have left. The exit status of its process.
[[nodiscard]] int run_chat_server(const ChatSize& size, int listener);

struct ChatCounts {
    std::uint64_t sent = 0, received = 0;
    bool complete = false;  ///< each chatter got every message of its room once and in order
    bool stalled = false;   ///< the rest was given up
};

/// How long nobody may send or hear anything before a chat is given up.
inline constexpr Duration kChatPatience = std::chrono::seconds(10);

/// All chatters of one chat: connects them, calls `start`, lets them talk until each has heard all
/// that the others of its room said, or for `patience` nothing has moved. `progress`, one a
/// connection: messages sent and received, and when the last one came. An Error: they could not be
/// connected or started.
[[nodiscard]] Result<ChatCounts> run_chatters(const ChatSize& size, std::uint16_t port,
                                              std::span<JobSlot> progress,
                                              const std::function<void()>& start,
                                              Duration patience = kChatPatience);

}  // namespace bench::fairuser
