#include "vm/boot_outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/kernel_log.h"

namespace bench {
namespace {

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) {
            line.remove_suffix(1);
        }
        if (!line.empty()) {
            lines.push_back(line);
        }
        if (end == std::string_view::npos) {
            break;
        }
        text.remove_prefix(end + 1);
    }
    return lines;
}

/// The first message that has one of these words in it; empty when there is none.
template <std::size_t count>
std::string_view find_message(std::string_view text,
                              const std::array<std::string_view, count>& words) {
    for (const std::string_view line : split_lines(text)) {
        for (const std::string_view word : words) {
            if (line.find(word) != std::string_view::npos) {
                return log_message(line);
            }
        }
    }
    return {};
}

constexpr std::array<std::string_view, 1> kPanic = {"Kernel panic"};
constexpr std::array<std::string_view, 3> kNoMemory = {
    "Out of memory", "System is deadlocked on memory", "Initramfs unpacking failed: write error"};
constexpr std::array<std::string_view, 1> kFromInit = {"bench: "};
constexpr std::array<std::string_view, 9> kDoubts = {
    "WARNING: CPU", "WARNING: possible",     "BUG: ",
    "Oops: ",       "detected stall",        "self-detected stall",
    "soft lockup",  "blocked for more than", "Out of memory: "};

}  // namespace

std::string why_no_results(GuestEnd end, bool reached_init, std::string_view console,
                           std::string_view emulator, std::string_view status) {
    const std::string memory(find_message(console, kNoMemory));
    if (const auto panic = find_message(console, kPanic); !panic.empty()) {
        return fmt::format("the guest's kernel panicked: {}{}", panic,
                           memory.empty() ? "" : " (" + memory + ")");
    }
    if (!memory.empty()) {
        return "the guest ran out of memory: " + memory;
    }
    if (const auto complaint = find_message(console, kFromInit); !complaint.empty()) {
        return fmt::format("the guest could not run the cell: {}", complaint.substr(7));
    }
    if (end == GuestEnd::hung) {
        return reached_init ? "the guest hung: no sign of life from it any more"
                            : "the guest did not come up in time (see --boot-timeout)";
    }
    const auto lines = split_lines(emulator);
    // With so little memory that it can't even unpack itself, a kernel restarts without a word.
    if (!reached_init && console.empty() && lines.empty()) {
        return fmt::format(
            "QEMU ended ({}) before the kernel had said anything: is --memory too small?", status);
    }
    const std::string said = lines.empty() ? std::string() : fmt::format(": {}", lines.back());
    return fmt::format("QEMU ended ({}) {}{}", status,
                       reached_init ? "before the guest had handed over its results"
                                    : "before the guest had come up",
                       said);
}

std::vector<std::string> kernel_log_taints(std::string_view log) {
    constexpr std::size_t kMost = 10;
    std::vector<std::string> taints;
    for (const std::string_view line : split_lines(log)) {
        const bool doubtful = std::any_of(
            kDoubts.begin(), kDoubts.end(),
            [&](std::string_view word) { return line.find(word) != std::string_view::npos; });
        std::string taint = fmt::format("the guest's kernel said: {}", log_message(line));
        if (doubtful && taints.size() < kMost &&
            std::find(taints.begin(), taints.end(), taint) == taints.end()) {
            taints.push_back(std::move(taint));
        }
    }
    return taints;
}

std::string console_tail(std::string_view console, std::size_t lines) {
    auto all = split_lines(console);
    const std::size_t skipped = all.size() > lines ? all.size() - lines : 0;
    std::string text;
    for (std::size_t i = skipped; i < all.size(); ++i) {
        for (const char c : all[i]) {
            const auto byte = static_cast<unsigned char>(c);
            text += (byte < 0x20 && c != '\t') || byte == 0x7f ? '?' : c;
        }
        text += '\n';
    }
    return text;
}

}  // namespace bench
