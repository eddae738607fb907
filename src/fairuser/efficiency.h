#pragma once

#include <optional>
#include <vector>

#include "fairuser/session.h"

namespace bench::fairuser {

/// A user's run alone, beside what the same user did in company.
struct SoloPair {
    const UserRecord* solo = nullptr;
    Duration solo_elapsed{};
    const UserRecord* together = nullptr;
    std::int64_t jobs = 1;
};

/// Work done in company for each unit that the machine would have done by what the solo runs
/// showed; above 1 is noise, or a gain. A solo run tells how many CPUs a user keeps busy and how
/// much work comes of a CPU second. What the machine can do for all is the sum of these CPUs, at
/// most the `cpus` there are: or, where users with a job for each CPU ran alone, what those got.
/// Fixed time: work per CPU second must be known (work slots), else absent.
[[nodiscard]] std::optional<double> efficiency(const std::vector<SoloPair>& users, Ending ending,
                                               Duration elapsed, std::int64_t cpus);

}  // namespace bench::fairuser
