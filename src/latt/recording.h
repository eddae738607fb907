#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace bench::latt {

/// Where the parent and one client leave their stamps, in shared memory: CLOCK_MONOTONIC in
/// nanoseconds. Each side writes a cache line of its own.
struct ClientSlot {
    alignas(64) std::int64_t sent_ns;   ///< the parent, just before it wakes the client
    alignas(64) std::int64_t woken_ns;  ///< the client, as soon as it runs
    std::int64_t done_ns;               ///< the client, its work done; no meaning without work
    std::int32_t work_status;           ///< zlib's, 0 is well
};

/// One client's part of one round.
struct Sample {
    std::uint32_t client = 0;
    std::int64_t sent_ns = 0, woken_ns = 0, done_ns = 0;
};

/// When the waker meant to start a round, and when it did.
struct RoundStart {
    std::int64_t planned_ns = 0, actual_ns = 0;
};

/// Every stamp of a cell, in the order of rounds and clients.
struct Recording {
    std::int64_t start_ns = 0;
    std::vector<RoundStart> rounds;
    std::vector<Sample> samples;

    void add(std::uint32_t client, const ClientSlot& slot) {
        samples.push_back({client, slot.sent_ns, slot.woken_ns, slot.done_ns});
    }
};

/// The first and last wake of one client, since the start.
struct ClientWindow {
    std::optional<std::int64_t> first_ns, last_ns;
};

/// One per client; absent for a client that was never measured.
[[nodiscard]] inline std::vector<ClientWindow> client_windows(const Recording& recording,
                                                              std::uint32_t clients) {
    std::vector<ClientWindow> windows(clients);
    for (const Sample& sample : recording.samples) {
        ClientWindow& window = windows.at(sample.client);
        const std::int64_t at = sample.woken_ns - recording.start_ns;
        if (!window.first_ns) {
            window.first_ns = at;
        }
        window.last_ns = at;
    }
    return windows;
}

}  // namespace bench::latt
