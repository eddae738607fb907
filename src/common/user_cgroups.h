#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/autogroup.h"
#include "common/clock.h"
#include "common/cpu_set.h"
#include "common/guardian.h"
#include "common/result.h"
#include "common/sysfs.h"

namespace bench {

/// Weights are those of cgroup v2 (cpu.weight), 100 where nothing is asked. In v1 cpu.shares
/// becomes 1024 * weight / 100, rounded: the same scale as the kernel's own.
inline constexpr std::uint32_t kDefaultWeight = 100;
inline constexpr std::uint32_t kMinWeight = 1;
inline constexpr std::uint32_t kMaxWeight = 10000;
[[nodiscard]] std::uint64_t shares_of_weight(std::uint32_t weight);

/// cgroups for the time of a run: below one group bench-fairuser-PID-STARTTIME-PIDNS a group per
/// user, made where the controllers are found. A guardian knows their names before they are made,
/// so that they go in every case, with whatever still runs in them.
class UserCgroups {
  public:
    struct User {
        std::string name;
        std::uint32_t weight = kDefaultWeight;  ///< kMinWeight..kMaxWeight
    };
    enum class Grouping {
        weighted,    ///< a cpu group per user with its weight, accounted as well
        accounting,  ///< groups that only account, where that leaves the cpu group as it is (a v1
                     ///< cpuacct of its own, v2 beside a v1 cpu); otherwise no groups and a note
        none,        ///< for exclusive_cpus alone
    };
    struct Options {
        Grouping grouping = Grouping::weighted;
        std::vector<User> users;
        /// All users together in a cpuset of these CPUs: v1 cpuset.cpu_exclusive, v2 a partition
        /// root.
        std::optional<CpuSet> exclusive_cpus = {};
    };

    /// Removes what dead runs left (never what a living one has), makes the groups, sets them up
    /// and reads all of it back. An Error (not_started) says where it was refused and why; nothing
    /// is left then.
    [[nodiscard]] static Result<std::unique_ptr<UserCgroups>> create(const Options& options,
                                                                     const SystemRoot& system);

    UserCgroups() = default;
    virtual ~UserCgroups() = default;  ///< remove()
    UserCgroups(const UserCgroups&) = delete;
    UserCgroups& operator=(const UserCgroups&) = delete;

    /// The cgroup.procs files a process of user `index` must be entered in, for
    /// SupervisedCommand::join_cgroups. Empty: there is nothing to join.
    [[nodiscard]] virtual std::vector<std::filesystem::path> join_files(
        std::size_t index) const = 0;
    /// CPU time of all that ever ran in the user's group; up to a tick behind for what runs now.
    /// An Error when there is no accounting.
    [[nodiscard]] virtual Result<Duration> cpu_time(std::size_t index) const = 0;
    [[nodiscard]] virtual bool has_accounting() const = 0;
    /// The file cpu_time() reads, "cpuacct.usage" or "cpu.stat"; empty without accounting.
    [[nodiscard]] virtual std::string accounting_source() const = 0;
    /// Kills whatever is in the user's groups; returns when they are empty.
    [[nodiscard]] virtual Status kill_all(std::size_t index) = 0;
    /// Whether those who join leave the cpu group of this process: autogroups act on them no more.
    [[nodiscard]] virtual bool changes_cpu_group() const = 0;
    /// What stands in the groups, as read back: for run.json. Keys: docs/fairuser-groups.md.
    [[nodiscard]] virtual nlohmann::ordered_json description() const = 0;
    /// Leftovers removed or left alone, why there is no accounting.
    [[nodiscard]] virtual const std::vector<std::string>& notes() const = 0;
    /// For Guardian::Options::outlived_by of the guardians whose commands join: the groups go after
    /// those have ended.
    [[nodiscard]] virtual const Guardian& keeper() const = 0;
    /// Kills what is in the groups and removes them; an Error names one that stayed. Does nothing
    /// the second time.
    [[nodiscard]] virtual Status remove() = 0;
};

}  // namespace bench
