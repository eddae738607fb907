#include "fairuser/arena.h"

#include <algorithm>

namespace bench::fairuser {

namespace {

constexpr std::uint32_t kWriting = 1;
constexpr std::uint32_t kWritten = 2;

}  // namespace

void UserSlot::fail(std::string_view why) {
    std::uint32_t none = 0;
    if (failed.compare_exchange_strong(none, kWriting)) {
        why.copy(failure.data(), failure.size() - 1);
        failed.store(kWritten, std::memory_order_release);
    }
}

std::string_view UserSlot::why_failed() const {
    return failed.load(std::memory_order_acquire) == kWritten ? std::string_view(failure.data())
                                                              : std::string_view();
}

Result<Arena> Arena::create(std::size_t users, std::size_t jobs_per_user) {
    Arena arena;
    auto gate = SharedArray<FutexWord>::create(1);
    auto slots = SharedArray<UserSlot>::create(users);
    auto jobs = SharedArray<JobSlot>::create(users * std::max<std::size_t>(jobs_per_user, 1));
    for (const Error* error : {gate ? nullptr : &gate.error(), slots ? nullptr : &slots.error(),
                               jobs ? nullptr : &jobs.error()}) {
        if (error != nullptr) {
            return *error;
        }
    }
    arena.gate = std::move(*gate);
    arena.users = std::move(*slots);
    arena.jobs = std::move(*jobs);
    arena.jobs_per_user = jobs_per_user;
    return arena;
}

void Arena::open_gate() {
    gate[0].store(1, std::memory_order_release);
    futex_wake_all(gate[0]);
}

void wait_at_gate(FutexWord& gate, UserSlot& slot) {
    slot.ready.fetch_add(1, std::memory_order_acq_rel);
    while (gate.load(std::memory_order_acquire) == 0) {
        futex_wait(gate, 0);
    }
}

}  // namespace bench::fairuser
