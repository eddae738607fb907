#include "common/cpu_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstdint>
#include <iterator>

namespace bench {

namespace {

constexpr int kMaxCpu = 1'048'575;

/// Takes a number off the front of `text`; nullopt when there is none up to `kMaxCpu`.
std::optional<int> take_number(std::string_view& text) {
    int value = 0;
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || value < 0 || value > kMaxCpu || text.starts_with('-')) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    return value;
}

bool take(std::string_view& text, char c) {
    if (!text.starts_with(c)) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

/// One item between commas: "N", "A-B" or "A-B:USED/GROUP".
bool parse_item(std::string_view item, std::vector<int>& cpus) {
    const std::optional<int> first = take_number(item);
    if (!first) {
        return false;
    }
    std::optional<int> last = first;
    int used = 1;
    int group = 1;
    if (take(item, '-')) {
        last = take_number(item);
        if (!last || *last < *first) {
            return false;
        }
        if (take(item, ':')) {
            const std::optional<int> used_read = take_number(item);
            const std::optional<int> group_read =
                take(item, '/') ? take_number(item) : std::nullopt;
            if (!used_read || !group_read || *used_read < 1 || *group_read < *used_read) {
                return false;
            }
            used = *used_read;
            group = *group_read;
        }
    }
    if (!item.empty()) {
        return false;
    }
    for (int cpu = *first; cpu <= *last; ++cpu) {
        if ((cpu - *first) % group < used) {
            cpus.push_back(cpu);
        }
    }
    return true;
}

}  // namespace

CpuSet::CpuSet(std::vector<int> cpus) : cpus_(std::move(cpus)) {
    std::sort(cpus_.begin(), cpus_.end());
    cpus_.erase(std::unique(cpus_.begin(), cpus_.end()), cpus_.end());
    assert(cpus_.empty() || cpus_.front() >= 0);
}

Result<CpuSet> CpuSet::parse(std::string_view list) {
    CpuSet set;
    if (list.empty()) {
        return set;
    }
    std::vector<int> cpus;
    std::string_view rest = list;
    for (;;) {
        const std::size_t comma = rest.find(',');
        const std::string_view item = rest.substr(0, comma);
        // Bounds the work for lists that name the same CPUs over and over.
        if (cpus.size() > 4UL * kMaxCpu || !parse_item(item, cpus)) {
            return plain_error(
                "read CPU list", std::string(list.substr(0, 200)),
                fmt::format("'{}' is neither a CPU number, a range such as 0-3, nor a stride such "
                            "as 0-31:2/8 (numbers 0 to {})",
                            item.substr(0, 40), kMaxCpu));
        }
        if (comma == std::string_view::npos) {
            return CpuSet(std::move(cpus));
        }
        rest.remove_prefix(comma + 1);
    }
}

bool CpuSet::contains(int cpu) const {
    return std::binary_search(cpus_.begin(), cpus_.end(), cpu);
}

bool CpuSet::contains_all(const CpuSet& other) const {
    return std::includes(cpus_.begin(), cpus_.end(), other.cpus_.begin(), other.cpus_.end());
}

CpuSet CpuSet::intersection(const CpuSet& other) const {
    CpuSet result;
    std::set_intersection(cpus_.begin(), cpus_.end(), other.cpus_.begin(), other.cpus_.end(),
                          std::back_inserter(result.cpus_));
    return result;
}

CpuSet CpuSet::minus(const CpuSet& other) const {
    CpuSet result;
    std::set_difference(cpus_.begin(), cpus_.end(), other.cpus_.begin(), other.cpus_.end(),
                        std::back_inserter(result.cpus_));
    return result;
}

std::string CpuSet::to_list() const {
    std::string list;
    for (std::size_t first = 0; first < cpus_.size();) {
        std::size_t last = first;
        while (last + 1 < cpus_.size() && cpus_[last + 1] == cpus_[last] + 1) {
            ++last;
        }
        fmt::format_to(std::back_inserter(list), "{}{}", list.empty() ? "" : ",", cpus_[first]);
        if (last > first) {
            fmt::format_to(std::back_inserter(list), "-{}", cpus_[last]);
        }
        first = last + 1;
    }
    return list;
}

std::string CpuSet::to_mask() const {
    if (cpus_.empty()) {
        return "0";
    }
    std::vector<std::uint32_t> words(static_cast<std::size_t>(cpus_.back()) / 32 + 1);
    for (const int cpu : cpus_) {
        const auto number = static_cast<unsigned>(cpu);
        words[number / 32] |= std::uint32_t{1} << (number % 32);
    }
    std::string mask = fmt::format("{:x}", words.back());
    for (std::size_t i = words.size() - 1; i-- > 0;) {
        fmt::format_to(std::back_inserter(mask), ",{:08x}", words[i]);
    }
    return mask;
}

}  // namespace bench
