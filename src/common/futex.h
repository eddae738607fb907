#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

#include "common/clock.h"

namespace bench {

/// A futex word that lies in memory shared between processes.
using FutexWord = std::atomic<std::uint32_t>;
static_assert(sizeof(FutexWord) == 4 && FutexWord::is_always_lock_free);

/// Sleeps while the word is `expected`. Returns early on a wake-up, a signal or for no reason: the
/// caller looks at the word again. As futex(2): 0, or -1 with errno.
inline long futex_wait(FutexWord& word, std::uint32_t expected, const timespec* timeout = nullptr) {
    // Not FUTEX_PRIVATE_FLAG: the words lie in memory that processes share.
    return ::syscall(SYS_futex, &word, FUTEX_WAIT, expected, timeout, nullptr, 0);
}

/// As futex(2): how many were woken, or -1 with errno.
inline long futex_wake_one(FutexWord& word) {
    return ::syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

inline void futex_wake_all(FutexWord& word) {
    ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace bench
