#include "latt/wake_channel.h"

#include "latt/wake_eventfd.h"
#include "latt/wake_futex.h"
#include "latt/wake_pipe.h"

namespace bench::latt {

Result<std::unique_ptr<WakeChannel>> WakeChannel::create(WakeKind kind, std::uint32_t clients) {
    switch (kind) {
        case WakeKind::pipe:
            return PipeChannel::create(clients);
        case WakeKind::futex:
            return FutexChannel::create(clients);
        case WakeKind::eventfd:
            return EventfdChannel::create(clients);
    }
    return plain_error("wake channel", "", "unknown kind");
}

std::uint64_t WakeChannel::parent_fds(WakeKind kind, std::uint64_t clients) {
    switch (kind) {
        case WakeKind::pipe:
            return 4 * clients;
        case WakeKind::futex:
            return 0;
        case WakeKind::eventfd:
            return 2 * clients;
    }
    return 0;
}

}  // namespace bench::latt
