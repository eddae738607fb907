#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"

namespace bench::fairuser {

inline constexpr std::int64_t max_jobs = 10'000;
/// As cgroup v2 counts weights.
inline constexpr std::int64_t max_weight = 10'000;
inline constexpr std::int64_t usual_weight = 100;
/// Of a user's name, as accounts have it.
inline constexpr std::size_t max_name = 32;

/// One --user: who competes, with how much at once.
struct UserSpec {
    std::string name;
    std::int64_t jobs = 1;      ///< 1..max_jobs
    std::optional<int> nice{};  ///< -20..19; absent: as inherited
    std::int64_t weight =
        usual_weight;  ///< 1..max_weight: what it is entitled to, beside the others'
    std::optional<std::string> command{};  ///< of the workload `cmd`

    bool operator==(const UserSpec&) const = default;
};

/// Reads "NAME=JOBS[,nice=N][,weight=W][,cmd=COMMAND]"; the command takes the rest with its commas.
/// An Error (code 0) says in `detail` which part is wrong and what is allowed.
[[nodiscard]] Result<UserSpec> parse_user(std::string_view text);

/// The spelling that parse_user() reads back: "guest=20,nice=10".
[[nodiscard]] std::string format_user(const UserSpec& user);

/// What a user may use: the CPUs of each by weight, a user with fewer jobs than that leaving the
/// rest to the others. Shares of what all use together: they sum to 1. `cpus` >= 1, `users` not
/// empty. So 4 jobs beside 20 on 16 CPUs are entitled to a quarter, not to half.
[[nodiscard]] std::vector<double> expected_shares(const std::vector<UserSpec>& users,
                                                  std::int64_t cpus);

}  // namespace bench::fairuser
