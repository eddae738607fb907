#include "common/fairness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/statistics.h"

namespace bench {

Result<Fairness> fairness(std::span<const FairGroup> groups, std::optional<double> efficiency) {
    if (groups.empty()) {
        return plain_error("fairness", "", "there is no group");
    }
    double between = 0;
    double denominator = 0;
    Fairness result;
    for (const FairGroup& group : groups) {
        if (!(group.entitlement > 0)) {
            return plain_error(
                "fairness", "",
                fmt::format("an entitlement of {}; it must be above 0", group.entitlement));
        }
        const double part = group.share * group.share / group.entitlement;
        between += part;
        denominator += part * (1 + group.cv * group.cv);
        result.misallocated += std::abs(group.share - group.entitlement) / 2;
    }
    result.jain_between = 1 / between;
    result.within = between / denominator;
    result.efficiency = efficiency;
    if (efficiency) {
        result.number = std::min(1.0, *efficiency) / denominator;
    }
    return result;
}

Result<Fairness> fairness_of_tasks(std::span<const std::vector<double>> groups,
                                   std::span<const double> entitlements,
                                   std::optional<double> efficiency) {
    if (groups.size() != entitlements.size()) {
        return plain_error(
            "fairness", "",
            fmt::format("{} groups and {} entitlements", groups.size(), entitlements.size()));
    }
    std::vector<double> sums;
    for (const auto& tasks : groups) {
        sums.push_back(std::accumulate(tasks.begin(), tasks.end(), 0.0));
    }
    const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
    if (!(total > 0)) {
        return plain_error("fairness", "", "no task got anything");
    }
    std::vector<FairGroup> parts;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        parts.push_back({.share = sums[i] / total,
                         .entitlement = entitlements[i],
                         .cv = population_cv(groups[i]).value_or(0)});
    }
    return fairness(parts, efficiency);
}

Result<TwoUsers> two_users_by_finish(double finish_1, double finish_2,
                                     std::optional<double> reference) {
    const double first = std::min(finish_1, finish_2);
    const double last = std::max(finish_1, finish_2);
    if (last > 2 * first) {
        return plain_error("fairness", "",
                           fmt::format("one user finished after {}, the other after {}, more than "
                                       "twice as late: the work was not equal or the machine idled",
                                       first, last));
    }
    const double first_share = last / (2 * first);
    TwoUsers users;
    users.window = first;
    users.work_per_user = last / 2;
    users.share_1 = finish_1 <= finish_2 ? first_share : 1 - first_share;
    users.share_2 = 1 - users.share_1;
    const FairGroup groups[] = {{.share = users.share_1, .entitlement = 0.5},
                                {.share = users.share_2, .entitlement = 0.5}};
    std::optional<double> efficiency;
    if (reference) {
        efficiency = *reference / last;
    }
    auto parts = fairness(groups, efficiency);
    if (!parts) {
        return parts.error();
    }
    users.fairness = *parts;
    return users;
}

TwoUsersBound two_users_by_work(double finish_first, double finish_last, double work_per_user,
                                double cpus) {
    TwoUsersBound bound;
    const double share = work_per_user / (cpus * finish_first);
    bound.first_share_at_least = share;
    bound.jain_at_most = 1 / (2 * (share * share + (1 - share) * (1 - share)));
    bound.cpus_used = 2 * work_per_user / finish_last;
    return bound;
}

}  // namespace bench
