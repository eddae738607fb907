#include "fairuser/efficiency.h"

#include <algorithm>
#include <numeric>

namespace bench::fairuser {
namespace {

double seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

double work_of(const UserRecord& user) {
    return static_cast<double>(
        std::accumulate(user.work.begin(), user.work.end(), std::uint64_t{0}));
}

/// CPUs that all could have kept busy.
double capacity(const std::vector<SoloPair>& users, std::int64_t cpus) {
    double wanted = 0;
    double seen = 0;
    for (const SoloPair& user : users) {
        const double busy = seconds(user.solo->cpu_time) / seconds(user.solo_elapsed);
        wanted += busy;
        if (user.jobs >= cpus) {
            seen = std::max(seen, busy);
        }
    }
    return std::min(wanted, seen > 0 ? seen : static_cast<double>(cpus));
}

}  // namespace

std::optional<double> efficiency(const std::vector<SoloPair>& users, Ending ending,
                                 Duration elapsed, std::int64_t cpus) {
    for (const SoloPair& user : users) {
        if (user.solo->cpu_time <= Duration(0) || user.solo_elapsed <= Duration(0)) {
            return std::nullopt;
        }
    }
    const double machine = capacity(users, cpus);
    if (!(machine > 0) || elapsed <= Duration(0)) {
        return std::nullopt;
    }
    double needed = 0;  // CPU seconds, of what the solo runs took for the same work
    double longest = 0;
    for (const SoloPair& user : users) {
        double part = seconds(user.solo->cpu_time);
        if (ending == Ending::time) {
            const double alone = work_of(*user.solo);
            if (!(alone > 0)) {
                return std::nullopt;
            }
            part *= work_of(*user.together) / alone;
        } else {
            longest = std::max(longest, seconds(user.solo_elapsed));
        }
        needed += part;
    }
    return std::max(needed / machine, longest) / seconds(elapsed);
}

}  // namespace bench::fairuser
