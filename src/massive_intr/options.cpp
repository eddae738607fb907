#include "massive_intr/options.h"

#include <algorithm>
#include <cmath>

#include "common/options.h"

namespace bench::massive_intr {

void add_options(CLI::App& app, Options& options) {
    add_duration_option(app, "--work", options.work,
                        "CPU time each process works, by calibrated loops, before it sleeps",
                        shortest_part, longest_part);
    add_duration_option(app, "--sleep", options.sleep, "Time each process then sleeps",
                        shortest_part, longest_part);
    add_integer_option(app, "--loops-per-ms", options.loops_per_ms,
                       "Loops that make a millisecond of work, for equal work on every kernel; "
                       "calibrated before each cell when not given",
                       1, max_loops_per_ms);
}

std::vector<std::pair<std::string, std::string>> variant(const Options& options) {
    const Options defaults;
    std::vector<std::pair<std::string, std::string>> pairs;
    if (options.loops_per_ms) {
        pairs.emplace_back("loops_per_ms", std::to_string(*options.loops_per_ms));
    }
    if (options.sleep != defaults.sleep) {
        pairs.emplace_back("sleep", format_duration(options.sleep));
    }
    if (options.work != defaults.work) {
        pairs.emplace_back("work", format_duration(options.work));
    }
    return pairs;
}

std::uint64_t work_loops(std::int64_t loops_per_ms, Duration work) {
    const double milliseconds = std::chrono::duration<double, std::milli>(work).count();
    const double loops = std::round(static_cast<double>(loops_per_ms) * milliseconds);
    return static_cast<std::uint64_t>(std::max(loops, 1.0));
}

}  // namespace bench::massive_intr
