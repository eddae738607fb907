#include "fairuser/chat.h"

#include <fmt/format.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>

#include "common/clock.h"
#include "common/units.h"
#include "fairuser/workload.h"

namespace bench::fairuser {

bool send_chat(int socket, const ChatMessage& message) {
    const char* data = reinterpret_cast<const char*>(&message);
    std::size_t left = sizeof message;
    while (left > 0) {
        const ssize_t put = ::send(socket, data, left, MSG_NOSIGNAL);
        if (put < 0 && errno != EINTR) {
            return false;
        }
        if (put > 0) {
            data += put;
            left -= static_cast<std::size_t>(put);
        }
    }
    return true;
}

bool receive_chat(int socket, ChatMessage& message) {
    char* data = reinterpret_cast<char*>(&message);
    std::size_t left = sizeof message;
    while (left > 0) {
        const ssize_t got = ::recv(socket, data, left, MSG_WAITALL);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        if (got > 0) {
            data += got;
            left -= static_cast<std::size_t>(got);
        }
    }
    return true;
}

void set_no_delay(int socket) {
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

sockaddr_in chat_address(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

Status check_loopback(const SystemRoot& system) {
    const auto text = system.read_trimmed("/sys/class/net/lo/flags");  // "0x9"
    if (!text) {
        return {};
    }
    constexpr int kHexadecimal = 16;
    const unsigned long flags = std::strtoul(text->c_str(), nullptr, kHexadecimal);
    return (flags & IFF_UP) != 0
               ? Status()
               : Status(plain_error("use", "the loopback interface",
                                    "it is down, and the chat goes over it: ip link set lo up"));
}

bool ChatThreads::start(std::function<void()> body) {
    constexpr std::size_t kStack = std::size_t{128} * 1024;
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setstacksize(&attributes, kStack);
    auto own = std::make_unique<std::function<void()>>(std::move(body));
    pthread_t thread{};
    const int refused = ::pthread_create(
        &thread, &attributes,
        [](void* argument) -> void* {
            const std::unique_ptr<std::function<void()>> work(
                static_cast<std::function<void()>*>(argument));
            (*work)();
            return nullptr;
        },
        own.get());
    ::pthread_attr_destroy(&attributes);
    if (refused != 0) {
        errno = refused;
        return false;
    }
    static_cast<void>(own.release());  // the thread's now
    threads_.push_back(thread);
    return true;
}

void ChatThreads::join() {
    for (const pthread_t thread : threads_) {
        ::pthread_join(thread, nullptr);
    }
    threads_.clear();
}

namespace {

void raise_file_limit() {
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
}

std::uint16_t port_of(int listener) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin_port);
}

int chat_main(const UserRun& run, const ChatSize& size, std::uint16_t port) {
    const std::span<JobSlot> progress(&run.job(0), static_cast<std::size_t>(size.connections()));
    const auto counts = run_chatters(size, port, progress, [&] { run.wait_for_start(); });
    if (!counts) {
        run.slot().fail(counts.error().message());
        return EXIT_FAILURE;
    }
    run.slot().finished_ns = MonotonicClock::now().time_since_epoch().count();
    run.slot().sent = counts->sent;
    run.slot().received = counts->received;
    const bool exact = counts->complete &&
                       counts->sent == static_cast<std::uint64_t>(size.sent()) &&
                       counts->received == static_cast<std::uint64_t>(size.received());
    if (!exact) {
        run.slot().fail(fmt::format(
            "chat lost messages: {} sent and {} received instead of {} and {}{}", counts->sent,
            counts->received, size.sent(), size.received(),
            counts->stalled ? "; none moved for " + format_duration(kChatPatience) : ""));
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

}  // namespace

Workload chat_workload(const ChatSize& size, std::uint16_t port) {
    Workload workload;
    workload.job_slots = static_cast<std::size_t>(size.connections());
    workload.tasks = 2 + 4 * static_cast<std::uint64_t>(size.connections());
    workload.files = 16 + static_cast<std::uint64_t>(size.connections());
    workload.body = [size, port](const UserRun& run) {
        raise_file_limit();
        auto listener = listen_for_chat(port);
        if (!listener) {
            run.slot().fail(listener.error().message());
            return EXIT_FAILURE;
        }
        const std::uint16_t bound = port_of(listener->get());
        run.slot().port = bound;
        const pid_t server =
            start_child(run, [&] { return run_chat_server(size, listener->get()); });
        listener->reset();
        const pid_t client = start_child(run, [&] { return chat_main(run, size, bound); });
        if (server < 0 || client < 0) {
            return EXIT_FAILURE;
        }
        return wait_for_children();
    };
    return workload;
}

}  // namespace bench::fairuser
