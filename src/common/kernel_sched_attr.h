#pragma once

#include <cstdint>

/// The kernel's ABI of sched_setattr(2) and sched_getattr(2). Declared here: C libraries define it
/// or not, with or without the last two fields.
namespace bench {

constexpr std::uint32_t kSchedOther = 0;
constexpr std::uint32_t kSchedFifo = 1;
constexpr std::uint32_t kSchedRoundRobin = 2;
constexpr std::uint32_t kSchedBatch = 3;
constexpr std::uint32_t kSchedIdle = 5;
constexpr std::uint32_t kSchedDeadline = 6;
constexpr std::uint32_t kSchedExt = 7;

struct KernelSchedAttr {
    std::uint32_t size = 0;
    std::uint32_t policy = 0;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 0;
    std::uint64_t deadline = 0;
    std::uint64_t period = 0;
    std::uint32_t util_min = 0;
    std::uint32_t util_max = 0;
};
static_assert(sizeof(KernelSchedAttr) == 56);

/// The first size there was (Linux 3.14); the two utilisation clamps came with 5.3.
constexpr std::uint32_t kSizeWithoutUtil = 48;

constexpr std::uint64_t kFlagUtilClampMin = 0x20;
constexpr std::uint64_t kFlagUtilClampMax = 0x40;

}  // namespace bench
