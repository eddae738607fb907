#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/result.h"

namespace bench {

/// A user (or group) while all compete.
struct FairGroup {
    double share = 0;        ///< of the CPU time of all; the shares sum to 1
    double entitlement = 0;  ///< what it should get, > 0; the entitlements sum to 1
    double cv = 0;           ///< population CV of what should be equal inside; 0 when unknown
};

/// The fairness number F = min(1, E) / D, D = sum s^2/w * (1 + CV^2), with its factors.
struct Fairness {
    double jain_between = 0;           ///< J = 1 / sum s^2/w: Jain's index weighted by entitlement
    double within = 0;                 ///< V: what is lost inside the groups; J*V = 1/D
    double misallocated = 0;           ///< sum |s - w| / 2: reads better near 1
    std::optional<double> efficiency;  ///< E as given; absent without a reference run
    std::optional<double> number;      ///< F, at most 1; absent with it
};

/// An Error: no group, an entitlement that is not above 0.
[[nodiscard]] Result<Fairness> fairness(std::span<const FairGroup> groups,
                                        std::optional<double> efficiency);

/// From what each task of each group got (CPU time, loops): shares and CVs follow. An Error also
/// for tasks that all got nothing and for lists of different length.
[[nodiscard]] Result<Fairness> fairness_of_tasks(std::span<const std::vector<double>> groups,
                                                 std::span<const double> entitlements,
                                                 std::optional<double> efficiency);

/// Two users with equal work, equal entitlement and a machine that is busy to the end: their shares
/// follow from when each finished, whatever the number of CPUs.
struct TwoUsers {
    double window = 0;         ///< how long both competed: until the first finished
    double work_per_user = 0;  ///< in the unit of the times, of the whole machine
    double share_1 = 0;
    double share_2 = 0;
    Fairness fairness;
};
/// Times in one unit, > 0. `reference` is the time in which the reference run of the same block
/// did both users' work. An Error when the later time is more than twice the earlier.
[[nodiscard]] Result<TwoUsers> two_users_by_finish(double finish_1, double finish_2,
                                                   std::optional<double> reference);

/// The same when it is known how much CPU time each one's work takes, and that the machine was not
/// always busy: bounds.
struct TwoUsersBound {
    double first_share_at_least = 0;  ///< of the user who finished first
    double jain_at_most = 0;
    double cpus_used = 0;  ///< on average, until the last finished
};
[[nodiscard]] TwoUsersBound two_users_by_work(double finish_first, double finish_last,
                                              double work_per_user, double cpus);

}  // namespace bench
