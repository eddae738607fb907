#include "fairuser/chat.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <thread>

#include "common/testing/fixture_tree.h"

namespace bench::fairuser {
namespace {

/// Passes on what one chatter says but for its last message, until somebody hangs up.
void relay(int from, int to, std::uint64_t lost) {
    ChatMessage message;
    while (receive_chat(from, message)) {
        if (message.number != lost && !send_chat(to, message)) {
            return;
        }
    }
}

TEST(Chat, AMessageThatIsLostEndsItWithWhatWasCounted) {
    const ChatSize size{.rooms = 1, .users = 2, .messages = 5};
    auto listener = listen_for_chat(0);
    ASSERT_TRUE(listener) << listener.error().message();
    sockaddr_in address{};
    socklen_t length = sizeof address;
    ASSERT_EQ(::getsockname(listener->get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
    std::thread server([&] {
        std::array<Fd, 2> chatters;
        ChatMessage message;
        for (Fd& chatter : chatters) {
            chatter.reset(::accept(listener->get(), nullptr, nullptr));
            EXPECT_TRUE(receive_chat(chatter.get(), message)) << "it joins";
        }
        for (const Fd& chatter : chatters) {
            EXPECT_TRUE(send_chat(chatter.get(), {}));
        }
        constexpr std::uint64_t kNone = 1000;
        std::thread other([&] { relay(chatters[1].get(), chatters[0].get(), kNone); });
        relay(chatters[0].get(), chatters[1].get(), 4);
        other.join();
    });
    std::vector<JobSlot> progress(2);
    const auto counts = run_chatters(
        size, ntohs(address.sin_port), progress, [] {}, std::chrono::milliseconds(200));
    server.join();
    ASSERT_TRUE(counts) << counts.error().message();
    EXPECT_TRUE(counts->stalled);
    EXPECT_FALSE(counts->complete);
    EXPECT_LT(counts->received, static_cast<std::uint64_t>(size.received()));
}

TEST(Chat, NeedsALoopbackThatIsUp) {
    testing::FixtureTree tree;
    EXPECT_TRUE(check_loopback(tree.system())) << "nothing is told";
    tree.file("/sys/class/net/lo/flags", "0x9\n");
    EXPECT_TRUE(check_loopback(tree.system()));
    tree.file("/sys/class/net/lo/flags", "0x8\n");
    EXPECT_FALSE(check_loopback(tree.system()));
}

}  // namespace
}  // namespace bench::fairuser
