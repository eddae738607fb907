#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "common/clock.h"

namespace bench {

/// How long the CPUs of a guest stand still because another one has the host's CPU. On each a
/// thread above all others (SCHED_FIFO 99) wakes every 10 ms; how late it runs is the gap, and what
/// the kernel can't interrupt.
class VcpuGapWatch {
  public:
    /// Watches the CPUs 0 to `vcpus` - 1 until finish().
    explicit VcpuGapWatch(std::int64_t vcpus);
    ~VcpuGapWatch();
    VcpuGapWatch(const VcpuGapWatch&) = delete;
    VcpuGapWatch& operator=(const VcpuGapWatch&) = delete;

    /// JSON: count, p99_ns, max_ns; p99_ns is null with under 100 wake-ups, and all but count
    /// without any. `refused` names the CPUs that could not be watched.
    [[nodiscard]] std::string finish();

  private:
    struct Watched {
        std::vector<std::int64_t> late_ns;
        bool refused = false;
    };
    void watch(int cpu, Watched& into) const;

    std::atomic<bool> over_{false};
    std::vector<Watched> watched_;
    std::vector<std::thread> threads_;
};

/// The JSON above from what was seen, in any order.
[[nodiscard]] std::string vcpu_gap_json(std::vector<std::int64_t> late_ns,
                                        const std::vector<int>& refused);

}  // namespace bench
