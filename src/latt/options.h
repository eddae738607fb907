#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/random.h"
#include "common/units.h"

namespace bench::latt {

/// How the waker reaches a client, and the client answers.
enum class WakeKind { pipe, futex, eventfd };

[[nodiscard]] std::string_view wake_kind_text(WakeKind kind);

/// The classic's defaults.
struct Options {
    bool threads = false;
    WakeKind wake = WakeKind::pipe;
    Duration min_wait = std::chrono::milliseconds(100);
    Duration max_wait = std::chrono::milliseconds(500);
    ByteSize work{64ULL * 1024U};  ///< 0: none

    bool operator==(const Options&) const = default;
};

/// The largest work: zlib's one-shot deflate counts in 32 bits.
inline constexpr ByteSize max_work{1024ULL * 1024U * 1024U};
/// The longest wait between two rounds; longer ones are mistakes.
inline constexpr Duration longest_wait = std::chrono::hours(24);

/// Binds the command line to `options`, which must outlive the parsing.
void add_options(CLI::App& app, Options& options);

/// What each option alone can't see: min_wait above max_wait.
[[nodiscard]] Status check(const Options& options);

/// What differs from the defaults, for the variant column.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> variant(const Options& options);

/// The wait before the next round, uniform in [min_wait, max_wait], both ends included.
[[nodiscard]] inline Duration draw_wait(Random& random, const Options& options) {
    return Duration(random.between(options.min_wait.count(), options.max_wait.count()));
}

}  // namespace bench::latt
