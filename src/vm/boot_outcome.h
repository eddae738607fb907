#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// How a guest came to its end, when it left no results.
enum class GuestEnd {
    ended,  ///< QEMU ended by itself
    hung,   ///< no sign of life for too long
};

/// Why there are no results, in one sentence, from what the guest printed on its console.
/// `emulator` is what QEMU printed and `status` how it ended ("exit status 1").
[[nodiscard]] std::string why_no_results(GuestEnd end, bool reached_init, std::string_view console,
                                         std::string_view emulator, std::string_view status);

/// What speaks against a cell in the log of its kernel (/dev/kmsg): warnings with a trace, bugs,
/// stalls, killed processes. At most ten, each once.
[[nodiscard]] std::vector<std::string> kernel_log_taints(std::string_view log);

/// Console text as it is kept: without carriage returns and control characters, its last `lines`.
[[nodiscard]] std::string console_tail(std::string_view console, std::size_t lines);

}  // namespace bench
