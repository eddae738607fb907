#pragma once

#include <cstdint>

namespace bench {

/// Whether workloads shall PAUSE. The CPUs of a guest in virtual time take turns on one of the
/// host: one that computes without a rest keeps the others waiting for tens of milliseconds, where
/// the next PAUSE would have passed the turn on. Outside of such guests a PAUSE is work that was
/// not there. Set before anything is measured; children inherit it.
inline bool workloads_pause = false;

/// In workloads: how often is enough, in turns of a busy loop of a few instructions. Some 0.02 ms
/// at 2 ns an instruction.
inline constexpr std::uint32_t kTurnsBetweenPauses = 2048;

/// How many bytes a compressor may take in between two of them.
inline constexpr std::uint32_t kBytesBetweenPauses = 256;

/// Tells the CPU that this one waits: free on real ones.
inline void cpu_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace bench
