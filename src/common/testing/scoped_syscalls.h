#pragma once

#include "common/syscalls.h"

namespace bench::testing {

/// Puts the table of system calls back when the test ends: `ScopedSyscalls calls; calls->write =
/// ...;`
class ScopedSyscalls {
  public:
    ScopedSyscalls() : saved_(syscalls()) {}
    ~ScopedSyscalls() { syscalls() = saved_; }
    ScopedSyscalls(const ScopedSyscalls&) = delete;
    ScopedSyscalls& operator=(const ScopedSyscalls&) = delete;

    Syscalls* operator->() { return &syscalls(); }
    /// The calls as they were.
    [[nodiscard]] const Syscalls& real() const { return saved_; }

  private:
    Syscalls saved_;
};

}  // namespace bench::testing
