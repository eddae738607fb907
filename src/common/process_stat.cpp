#include "common/process_stat.h"

#include <unistd.h>

#include <array>
#include <charconv>

namespace bench {
namespace {

/// One number of "A B C", taken off the front; false: there is none.
bool take_number(std::string_view& text, std::int64_t& number) {
    while (text.starts_with(' ')) {
        text.remove_prefix(1);
    }
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return failure == std::errc();
}

Duration of_ticks(std::int64_t ticks) {
    static const std::int64_t per_second = ::sysconf(_SC_CLK_TCK);
    return std::chrono::nanoseconds(ticks * (std::nano::den / per_second));
}

}  // namespace

std::optional<ProcessEntry> parse_process_stat(std::string_view text) {
    const std::size_t open = text.find('(');
    const std::size_t close = text.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open ||
        close + 4 >= text.size()) {
        return std::nullopt;
    }
    // Numbered as in proc(5), from the parent on: field 4.
    constexpr std::size_t kFirst = 4;
    constexpr std::size_t kLast = 22;
    std::array<std::int64_t, kLast + 1> field{};
    std::string_view pid_text = text.substr(0, open);
    std::string_view rest = text.substr(close + 3);
    bool whole = take_number(pid_text, field[1]);
    for (std::size_t i = kFirst; i <= kLast; ++i) {
        whole = whole && take_number(rest, field[i]);
    }
    if (!whole) {
        return std::nullopt;
    }
    return ProcessEntry{
        .pid = static_cast<pid_t>(field[1]),
        .parent = static_cast<pid_t>(field[4]),
        .state = text[close + 2],
        .name = std::string(text.substr(open + 1, close - open - 1)),
        .waited_cpu_time = of_ticks(field[16] + field[17]),
        .waited_faults = static_cast<std::uint64_t>(field[11] + field[13]),
        .start_ticks = static_cast<std::uint64_t>(field[22]),
    };
}

}  // namespace bench
