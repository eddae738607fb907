#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/benchmark.h"
#include "fairuser/user_spec.h"

namespace bench::fairuser {

enum class WorkloadKind { make, volano, pipe, spin, command };

enum class GroupMode {
    none,       ///< one session, one group
    autogroup,  ///< a session per user
    cgroup,     ///< a cpu cgroup per user, with its weight
};

enum class Ending {
    time,  ///< all are stopped when the time is up
    work,  ///< each user has the same work and ends with it
};

struct Options {
    std::vector<UserSpec> users;
    WorkloadKind workload = WorkloadKind::make;
    GroupMode group = GroupMode::none;
    std::optional<Ending> ending;  ///< absent: work where the workload has an end, else time
    bool solo = false;             ///< each user alone first, as the reference of the efficiency
    std::optional<std::int64_t> units;                            ///< of make: C files a user
    std::string source, target, config;                           ///< of make: a Linux source tree
    std::optional<std::int64_t> rooms, chatters, messages, port;  ///< of volano
    std::string exclusive_cpus;  ///< list format; empty: not exclusive

    [[nodiscard]] Ending end() const;
    [[nodiscard]] std::int64_t units_or_default() const { return units.value_or(60); }
    [[nodiscard]] std::string target_or_default() const {
        return target.empty() ? "bzImage" : target;
    }
    [[nodiscard]] std::string config_or_default() const {
        return config.empty() ? "tinyconfig" : config;
    }
};

/// The size of one user's chat.
struct ChatSize {
    std::int64_t rooms = 10;
    std::int64_t users = 20;      ///< of each room, >= 2
    std::int64_t messages = 100;  ///< that each of them sends

    [[nodiscard]] std::int64_t connections() const { return rooms * users; }
    [[nodiscard]] std::int64_t sent() const { return connections() * messages; }
    /// Each message goes to the others of its room.
    [[nodiscard]] std::int64_t received() const { return sent() * (users - 1); }
    [[nodiscard]] std::int64_t total() const { return sent() + received(); }
};
[[nodiscard]] ChatSize chat_size(const Options& options);

[[nodiscard]] std::string_view word(WorkloadKind kind);
[[nodiscard]] std::string_view word(GroupMode mode);
[[nodiscard]] std::string_view word(Ending ending);

/// Binds the command line to `options`, which must outlive the parsing.
void add_options(CLI::App& app, Options& options);
/// --group and --workload.
[[nodiscard]] std::vector<BenchmarkAxis> axes(Options& options);

/// What can't hold together: an Error (code 0) with object = the option.
[[nodiscard]] Status check_options(const Options& options);

/// Which options that every test has can't go with these: an Error as above.
[[nodiscard]] Status check_settings(const Options& options, const WorkerSettings& settings,
                                    bool pin);

/// Group, workload and users ("user_vatsa": "4,nice=10") always; the others where they differ from
/// the defaults.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> variant(const Options& options);

/// What a user runs, for people: "make -j4", "chat 10x20x100".
[[nodiscard]] std::string command_text(const Options& options, const UserSpec& user);

/// The same from a row's variant column; a text that is no user's options is given as it is.
[[nodiscard]] std::string command_in_variant(const std::string& variant, const std::string& user);

}  // namespace bench::fairuser
