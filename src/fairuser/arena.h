#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "common/futex.h"
#include "common/shared_array.h"

namespace bench::fairuser {

/// How far one job has got. On a cache line of its own: jobs must not slow each other down.
struct alignas(64) JobSlot {
    std::atomic<std::uint64_t> work;     ///< in the workload's unit
    std::atomic<std::int64_t> ended_ns;  ///< on CLOCK_MONOTONIC; 0: not yet
};

/// What a user's processes tell the one that measures.
struct UserSlot {
    FutexWord placed;                           ///< 1 once the leader may begin to start its jobs
    FutexWord ready;                            ///< jobs that wait at the gate
    std::atomic<std::int64_t> finished_ns;      ///< when its work was done; 0: not yet
    std::atomic<std::uint64_t> sent, received;  ///< of the chat
    std::atomic<std::uint32_t> port;            ///< of its chat server

    std::atomic<std::uint32_t> failed;
    std::array<char, 256> failure;  ///< valid once `failed`; ends with a 0

    /// The first one to call it is heard.
    void fail(std::string_view why);
    /// Why, or empty.
    [[nodiscard]] std::string_view why_failed() const;
};

/// Memory that all processes of a session share: made before they are, of anonymous pages.
struct Arena {
    SharedArray<FutexWord> gate;  ///< one word: 1 once the clock runs
    SharedArray<UserSlot> users;
    SharedArray<JobSlot> jobs;
    std::size_t jobs_per_user = 0;

    [[nodiscard]] static Result<Arena> create(std::size_t users, std::size_t jobs_per_user);

    [[nodiscard]] JobSlot& job(std::size_t user, std::size_t index) {
        return jobs[user * jobs_per_user + index];
    }
    void open_gate();
};

/// Tells `slot` that one more is ready, and sleeps until the gate opens.
void wait_at_gate(FutexWord& gate, UserSlot& slot);

}  // namespace bench::fairuser
