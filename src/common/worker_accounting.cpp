#include "common/worker_accounting.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <array>
#include <charconv>
#include <ctime>

#include "common/fd.h"

namespace bench {
namespace {

/// The second number of "cpu_time run_delay timeslices", all in nanoseconds but the last.
std::optional<std::uint64_t> read_run_delay(const std::string& path) {
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 96> text{};
    const ssize_t got = file.valid() ? ::read(file.get(), text.data(), text.size()) : -1;
    if (got <= 0) {
        return std::nullopt;
    }
    const char* at = text.data();
    const char* end = text.data() + got;
    std::array<std::uint64_t, 3> numbers{};
    for (std::uint64_t& number : numbers) {
        const auto [rest, failure] = std::from_chars(at, end, number);
        if (failure != std::errc()) {
            return std::nullopt;
        }
        at = rest < end ? rest + 1 : end;
    }
    // A task that runs has had a timeslice: "0 0 0" means the kernel doesn't count.
    return numbers[2] == 0 ? std::nullopt : std::optional(numbers[1]);
}

std::uint64_t to_count(long value) {
    return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

std::optional<std::uint64_t> difference(std::optional<std::uint64_t> before,
                                        std::optional<std::uint64_t> after) {
    if (!before || !after) {
        return std::nullopt;
    }
    return *after - *before;
}

}  // namespace

WorkerAccounting read_own_accounting(const std::string& schedstat_path) {
    WorkerAccounting now;
    now.run_delay_ns = read_run_delay(schedstat_path);
    // Exact to the nanosecond, where schedstat's own is as old as the last tick.
    timespec cpu{};
    if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu) == 0) {
        constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
        now.cpu_time_ns = static_cast<std::uint64_t>(cpu.tv_sec) * kNsPerSecond +
                          static_cast<std::uint64_t>(cpu.tv_nsec);
    }
    rusage usage{};
    if (::getrusage(RUSAGE_THREAD, &usage) == 0) {
        now.voluntary_switches = to_count(usage.ru_nvcsw);
        now.involuntary_switches = to_count(usage.ru_nivcsw);
    }
    return now;
}

WorkerAccounting accounting_since(const WorkerAccounting& before, const WorkerAccounting& after) {
    WorkerAccounting gained;
    gained.run_delay_ns = difference(before.run_delay_ns, after.run_delay_ns);
    gained.cpu_time_ns = difference(before.cpu_time_ns, after.cpu_time_ns);
    gained.voluntary_switches = after.voluntary_switches - before.voluntary_switches;
    gained.involuntary_switches = after.involuntary_switches - before.involuntary_switches;
    return gained;
}

}  // namespace bench
