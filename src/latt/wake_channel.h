#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/result.h"
#include "common/stop_source.h"
#include "latt/options.h"

namespace bench::latt {

/// What came of waiting for a reply.
enum class Reply {
    arrived,
    not_yet,  ///< a slice of time is over: look for deaths and signals, then wait on
    gone,     ///< the client's end is closed: it has died
    signal,   ///< StopSource took one
    failed,   ///< errno tells
};

/// How the waker (the parent) and its clients reach each other. It is made before the clients and
/// shared with them, by fork or as threads.
///
/// pipe: a pipe each way per client. eventfd: the same with eventfds. futex: a word in shared
/// memory per client, and one shared count of replies still out.
class WakeChannel {
  public:
    [[nodiscard]] static Result<std::unique_ptr<WakeChannel>> create(WakeKind kind,
                                                                     std::uint32_t clients);
    /// Descriptors the parent holds while it starts `clients`.
    [[nodiscard]] static std::uint64_t parent_fds(WakeKind kind, std::uint64_t clients);

    virtual ~WakeChannel() = default;
    WakeChannel() = default;
    WakeChannel(const WakeChannel&) = delete;
    WakeChannel& operator=(const WakeChannel&) = delete;

    // The parent's side.

    /// Closes the clients' ends here, once client processes hold their own; so a dead client is
    /// seen. Not with threads, which use these very descriptors.
    virtual void close_client_ends() {}
    /// Before the first wake of a round.
    virtual void begin_round() {}
    /// In the timed path. False with errno set: EPIPE when the client is gone.
    [[nodiscard]] virtual bool wake(std::uint32_t client) noexcept = 0;
    /// The clients are asked in order; each reply is taken once.
    [[nodiscard]] virtual Reply await_reply(std::uint32_t client, StopSource& stop) = 0;
    /// Sends every client home, now or when its present work is done. May be called again.
    virtual void quit() noexcept = 0;

    // A client's side.

    /// Blocks until woken. False: go home.
    [[nodiscard]] virtual bool wait(std::uint32_t client) noexcept = 0;
    /// False: the parent is gone.
    [[nodiscard]] virtual bool reply(std::uint32_t client) noexcept = 0;
    /// The descriptors a client process keeps.
    [[nodiscard]] virtual std::vector<int> client_fds(std::uint32_t client) const = 0;
};

}  // namespace bench::latt
