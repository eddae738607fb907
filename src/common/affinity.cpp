#include "common/affinity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "common/syscalls.h"

namespace bench {

namespace {

constexpr std::size_t kBitsPerWord = sizeof(unsigned long) * CHAR_BIT;
constexpr std::size_t kFirstWords = 1024 / kBitsPerWord;
constexpr std::size_t kMaxWords = (1UL << 20U) / kBitsPerWord;

std::string task_name(pid_t tid) {
    return tid == 0 ? "this task" : fmt::format("task {}", tid);
}

std::optional<CpuSet> read_cpu_list(const SystemRoot& system, std::string_view path) {
    const std::optional<std::string> text = system.read_trimmed(path);
    return text ? CpuSet::parse(*text).optional() : std::nullopt;
}

std::string cpus_are(const CpuSet& cpus, std::string_view one, std::string_view many) {
    return fmt::format("{} {} {}", cpus.size() == 1 ? "CPU" : "CPUs", cpus.to_list(),
                       cpus.size() == 1 ? one : many);
}

}  // namespace

Result<CpuSet> get_affinity(pid_t tid) {
    for (std::size_t words = kFirstWords; words <= kMaxWords; words *= 2) {
        std::vector<unsigned long> mask(words);
        const long bytes =
            syscalls().sched_getaffinity(tid, words * sizeof(unsigned long), mask.data());
        if (bytes < 0) {
            // EINVAL is the kernel's word for "my masks are longer than this buffer".
            if (errno == EINVAL) {
                continue;
            }
            return errno_error("sched_getaffinity", task_name(tid));
        }
        std::vector<int> cpus;
        for (std::size_t bit = 0; bit < static_cast<std::size_t>(bytes) * CHAR_BIT; ++bit) {
            if ((mask[bit / kBitsPerWord] >> (bit % kBitsPerWord) & 1UL) != 0) {
                cpus.push_back(static_cast<int>(bit));
            }
        }
        return CpuSet(std::move(cpus));
    }
    return Error{EINVAL, "sched_getaffinity", task_name(tid),
                 "refused even with room for 1,048,576 CPUs"};
}

Status set_affinity(const CpuSet& cpus, pid_t tid) {
    const std::string object = fmt::format("{} to CPUs {}", task_name(tid), cpus.to_list());
    if (cpus.empty()) {
        return plain_error("sched_setaffinity", task_name(tid), "no CPU given");
    }
    const std::size_t needed = static_cast<std::size_t>(cpus.cpus().back()) / kBitsPerWord + 1;
    std::vector<unsigned long> mask(std::max(needed, kFirstWords));
    for (const int cpu : cpus.cpus()) {
        const auto bit = static_cast<std::size_t>(cpu);
        mask[bit / kBitsPerWord] |= 1UL << (bit % kBitsPerWord);
    }
    if (syscalls().sched_setaffinity(tid, mask.size() * sizeof(unsigned long), mask.data()) < 0) {
        return errno_error("sched_setaffinity", object,
                           errno == EINVAL
                               ? "none of these CPUs is online and allowed by the cpuset"
                           : errno == EPERM ? "a task of another user: needs CAP_SYS_NICE"
                                            : "");
    }
    // The kernel cuts off what is offline or outside the cpuset without a word.
    const Result<CpuSet> now = get_affinity(tid);
    if (!now) {
        return now.error();
    }
    if (*now != cpus) {
        return plain_error("sched_setaffinity", object,
                           fmt::format("the kernel gave CPUs {} instead: the others are offline, "
                                       "absent or outside the cpuset",
                                       now->to_list()));
    }
    return {};
}

std::optional<CpuSet> online_cpus(const SystemRoot& system) {
    return read_cpu_list(system, "/sys/devices/system/cpu/online");
}

std::optional<CpuSet> possible_cpus(const SystemRoot& system) {
    return read_cpu_list(system, "/sys/devices/system/cpu/possible");
}

std::optional<CpuSet> isolated_cpus(const SystemRoot& system) {
    return read_cpu_list(system, "/sys/devices/system/cpu/isolated");
}

Status check_cpus_usable(const CpuSet& asked, const CpuSet& allowed, const SystemRoot& system) {
    if (asked.empty()) {
        return plain_error("--cpus", "", "no CPU given; allowed are CPUs " + allowed.to_list());
    }
    CpuSet rest = asked.minus(allowed);
    if (rest.empty()) {
        return {};
    }
    std::vector<std::string> reasons;
    // A possible CPU may still be an empty socket: what is present is the sharper list.
    std::optional<CpuSet> existing = read_cpu_list(system, "/sys/devices/system/cpu/present");
    if (!existing) {
        existing = possible_cpus(system);
    }
    if (existing) {
        const CpuSet absent = rest.minus(*existing);
        if (!absent.empty()) {
            reasons.push_back(fmt::format("{} (this machine has CPUs {})",
                                          cpus_are(absent, "does not exist", "do not exist"),
                                          existing->to_list()));
        }
        rest = rest.minus(absent);
    }
    if (const std::optional<CpuSet> online = online_cpus(system)) {
        const CpuSet offline = rest.minus(*online);
        if (!offline.empty()) {
            reasons.push_back(cpus_are(offline, "is offline", "are offline"));
        }
        rest = rest.minus(offline);
    }
    if (!rest.empty()) {
        reasons.push_back(fmt::format(
            "{} outside the mask this process inherited (CPUs {}, from taskset, a cpuset or a "
            "container)",
            cpus_are(rest, "lies", "lie"), allowed.to_list()));
    }
    return plain_error("--cpus", asked.to_list(), fmt::format("{}", fmt::join(reasons, "; ")));
}

}  // namespace bench
