#pragma once

#include <atomic>
#include <vector>

#include "common/shared_array.h"
#include "latt/wake_channel.h"

namespace bench::latt {

/// A futex word per client that counts its wakes, and one that counts the replies still out: the
/// last client to reply wakes the parent.
class FutexChannel final : public WakeChannel {
  public:
    [[nodiscard]] static Result<std::unique_ptr<WakeChannel>> create(std::uint32_t clients);

    void begin_round() override;
    [[nodiscard]] bool wake(std::uint32_t client) noexcept override;
    /// The first client's takes the wait for all of them.
    [[nodiscard]] Reply await_reply(std::uint32_t client, StopSource& stop) override;
    void quit() noexcept override;
    [[nodiscard]] bool wait(std::uint32_t client) noexcept override;
    [[nodiscard]] bool reply(std::uint32_t client) noexcept override;
    [[nodiscard]] std::vector<int> client_fds(std::uint32_t client) const override;

  private:
    struct alignas(64) Word {
        std::atomic<std::uint32_t> wakes;
        std::uint32_t seen;  ///< the client's own
    };
    struct alignas(64) Round {
        std::atomic<std::uint32_t> replies_out;
        std::atomic<bool> quit;
    };
    SharedArray<Word> words_;
    SharedArray<Round> round_;
};

}  // namespace bench::latt
