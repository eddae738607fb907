#pragma once

#include <cstdint>
#include <string>

#include "common/result.h"

namespace bench::latt {

/// The classic's command line.
struct ClassicOptions {
    enum class Action { run, help, version };

    Action action = Action::run;
    std::int64_t clients = 1;
    std::int64_t min_wait_ms = 100;
    std::int64_t max_wait_ms = 500;
    std::int64_t work_kb = 64;
    bool verbose = false;
    std::string command;  ///< the words after the options, joined by blanks; empty: none
};

/// Reads it; an Error (code 0) is one line for standard error. Not for use in several threads at
/// once: getopt(3).
[[nodiscard]] Result<ClassicOptions> parse_classic_options(int argc, char** argv);

[[nodiscard]] std::string classic_usage();    ///< one line with its line feed
[[nodiscard]] std::string classic_help();     ///< usage, options, what differs from the classic
[[nodiscard]] std::string classic_version();  ///< one line with its line feed

}  // namespace bench::latt
