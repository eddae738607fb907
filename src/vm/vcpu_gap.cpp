#include "vm/vcpu_gap.h"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/affinity.h"

namespace bench {
namespace {

constexpr std::int64_t kPeriodNs = 10'000'000;
constexpr std::int64_t kSecondNs = 1'000'000'000;
/// With fewer, no one in a hundred was seen.
constexpr std::size_t kEnoughForP99 = 100;

}  // namespace

std::string vcpu_gap_json(std::vector<std::int64_t> late_ns, const std::vector<int>& refused) {
    std::sort(late_ns.begin(), late_ns.end());
    nlohmann::ordered_json json = {
        {"count", late_ns.size()}, {"p99_ns", nullptr}, {"max_ns", nullptr}};
    if (late_ns.size() >= kEnoughForP99) {
        // The smallest value that 99 of 100 do not exceed.
        json["p99_ns"] = late_ns[(late_ns.size() * 99 + 99) / 100 - 1];
    }
    if (!late_ns.empty()) {
        json["max_ns"] = late_ns.back();
    }
    if (!refused.empty()) {
        json["refused"] = refused;
    }
    return json.dump();
}

VcpuGapWatch::VcpuGapWatch(std::int64_t vcpus) : watched_(static_cast<std::size_t>(vcpus)) {
    for (std::size_t cpu = 0; cpu < watched_.size(); ++cpu) {
        threads_.emplace_back([this, cpu] { watch(static_cast<int>(cpu), watched_[cpu]); });
    }
}

VcpuGapWatch::~VcpuGapWatch() {
    over_ = true;
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void VcpuGapWatch::watch(int cpu, Watched& into) const {
    const sched_param first{99};
    if (!set_affinity(CpuSet({cpu})) || ::sched_setscheduler(0, SCHED_FIFO, &first) != 0) {
        into.refused = true;
        return;
    }
    timespec due{};
    ::clock_gettime(CLOCK_MONOTONIC, &due);
    while (!over_) {
        due.tv_nsec += kPeriodNs;
        if (due.tv_nsec >= kSecondNs) {
            due.tv_nsec -= kSecondNs;
            ++due.tv_sec;
        }
        ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr);
        timespec now{};
        ::clock_gettime(CLOCK_MONOTONIC, &now);
        into.late_ns.push_back((now.tv_sec - due.tv_sec) * kSecondNs + now.tv_nsec - due.tv_nsec);
    }
}

std::string VcpuGapWatch::finish() {
    over_ = true;
    for (std::thread& thread : threads_) {
        thread.join();
    }
    threads_.clear();
    std::vector<std::int64_t> all;
    std::vector<int> refused;
    for (std::size_t cpu = 0; cpu < watched_.size(); ++cpu) {
        all.insert(all.end(), watched_[cpu].late_ns.begin(), watched_[cpu].late_ns.end());
        if (watched_[cpu].refused) {
            refused.push_back(static_cast<int>(cpu));
        }
    }
    return vcpu_gap_json(std::move(all), refused);
}

}  // namespace bench
