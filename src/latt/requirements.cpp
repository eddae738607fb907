#include "latt/requirements.h"

#include <fmt/format.h>

#include <optional>

#include "common/process_group.h"
#include "latt/recording.h"
#include "latt/wake_channel.h"
#include "latt/workload.h"

namespace bench::latt {
namespace {

// "MemAvailable:    1234 kB" in /proc/meminfo, as bytes.
std::optional<std::uint64_t> meminfo_bytes(std::string_view meminfo, std::string_view key) {
    const std::string line_start = fmt::format("{}:", key);
    std::size_t begin = 0;
    while (begin < meminfo.size()) {
        std::string_view line = meminfo.substr(begin, meminfo.find('\n', begin) - begin);
        begin += line.size() + 1;
        if (!line.starts_with(line_start)) {
            continue;
        }
        line.remove_prefix(line_start.size());
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        const auto kib = parse_integer(line.substr(0, line.find(' ')), 0, std::int64_t{1} << 50U);
        return kib ? std::optional(static_cast<std::uint64_t>(*kib) * 1024U) : std::nullopt;
    }
    return std::nullopt;
}

std::string mebibytes(std::uint64_t bytes) {
    return fmt::format("{} MiB", bytes >> 20U);
}

}  // namespace

Status check_memory(const Options& options, std::uint64_t clients, const SystemRoot& system) {
    const auto meminfo = system.read("/proc/meminfo").optional();
    const auto available = meminfo ? meminfo_bytes(*meminfo, "MemAvailable") : std::nullopt;
    if (!available) {
        return {};
    }
    const std::uint64_t swap = meminfo_bytes(*meminfo, "SwapFree").value_or(0);
    const std::uint64_t needed = clients * (work_memory(options.work.bytes) + sizeof(ClientSlot));
    if (needed > *available + swap) {
        return plain_error(
            "memory", fmt::format("for {} clients", clients),
            fmt::format("at least {} needed, {} available with free swap; fewer --clients or a "
                        "smaller --work need less",
                        mebibytes(needed), mebibytes(*available + swap)));
    }
    return {};
}

Status check_requirements(const Options& options, std::uint64_t clients, const SystemRoot& system) {
    const WorkerNeeds needs{
        .workers = clients,
        .kind = options.threads ? WorkerKind::thread : WorkerKind::process,
        .parent_fds = WakeChannel::parent_fds(options.wake, clients),
    };
    if (Status reserved = reserve_for_workers(needs, system); !reserved) {
        return reserved;
    }
    return check_memory(options, clients, system);
}

}  // namespace bench::latt
