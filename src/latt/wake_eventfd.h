#pragma once

#include <atomic>
#include <vector>

#include "common/fd.h"
#include "common/shared_array.h"
#include "latt/wake_channel.h"

namespace bench::latt {

/// One eventfd to wake a client, one for its reply. An eventfd knows no end of file: clients go
/// home by a flag, and a client's death shows only to who asks for it.
class EventfdChannel final : public WakeChannel {
  public:
    [[nodiscard]] static Result<std::unique_ptr<WakeChannel>> create(std::uint32_t clients);

    [[nodiscard]] bool wake(std::uint32_t client) noexcept override;
    [[nodiscard]] Reply await_reply(std::uint32_t client, StopSource& stop) override;
    void quit() noexcept override;
    [[nodiscard]] bool wait(std::uint32_t client) noexcept override;
    [[nodiscard]] bool reply(std::uint32_t client) noexcept override;
    [[nodiscard]] std::vector<int> client_fds(std::uint32_t client) const override;

  private:
    struct Events {
        Fd wake, reply;
    };
    std::vector<Events> events_;
    SharedArray<std::atomic<bool>> quit_;
};

}  // namespace bench::latt
