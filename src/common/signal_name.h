#pragma once

#include <string>

namespace bench {

/// "SIGSEGV"; "signal 40" for one without a name.
[[nodiscard]] std::string signal_name(int signal);

}  // namespace bench
