#pragma once

#include <string_view>

namespace bench {

/// Diagnostics on standard error, one line each: "bench: warning: ...". Never called between two
/// time stamps, and never in a forked worker.
void log_error(std::string_view message);
void log_warning(std::string_view message);
/// Shown with --verbose only.
void log_debug(std::string_view message);

void set_verbose(bool verbose);

}  // namespace bench
