#pragma once

#include <vector>

#include "common/fd.h"
#include "latt/wake_channel.h"

namespace bench::latt {

/// The classic's channel: one pipe to wake a client, one for its reply.
class PipeChannel final : public WakeChannel {
  public:
    [[nodiscard]] static Result<std::unique_ptr<WakeChannel>> create(std::uint32_t clients);

    void close_client_ends() override;
    [[nodiscard]] bool wake(std::uint32_t client) noexcept override;
    [[nodiscard]] Reply await_reply(std::uint32_t client, StopSource& stop) override;
    void quit() noexcept override;
    [[nodiscard]] bool wait(std::uint32_t client) noexcept override;
    [[nodiscard]] bool reply(std::uint32_t client) noexcept override;
    [[nodiscard]] std::vector<int> client_fds(std::uint32_t client) const override;

  private:
    struct Ends {
        Fd wake_read, wake_write, reply_read, reply_write;
    };
    std::vector<Ends> ends_;
};

}  // namespace bench::latt
