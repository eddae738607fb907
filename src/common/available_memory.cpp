#include "common/available_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/units.h"

namespace bench {
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

std::optional<std::uint64_t> available_memory(const SystemRoot& system) {
    const auto meminfo = system.read("/proc/meminfo").optional();
    const auto available = meminfo ? meminfo_bytes(*meminfo, "MemAvailable") : std::nullopt;
    if (!available) {
        return std::nullopt;
    }
    return *available + meminfo_bytes(*meminfo, "SwapFree").value_or(0);
}

Status check_available_memory(std::uint64_t needed, const std::string& purpose,
                              const std::string& cure, const SystemRoot& system) {
    const auto available = available_memory(system);
    if (available && needed > *available) {
        return plain_error("memory", purpose,
                           fmt::format("at least {} needed, {} available with free swap; {}",
                                       mebibytes(needed), mebibytes(*available), cure));
    }
    return {};
}

}  // namespace bench
