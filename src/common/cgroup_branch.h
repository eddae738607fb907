#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/cgroup_location.h"
#include "common/result.h"
#include "common/sysfs.h"

namespace bench {

/// A group below which groups can be made, in one hierarchy.
struct CgroupBranch {
    bool v2 = false;
    std::string mount;                     ///< of the hierarchy: what tells one from another
    std::string parent;                    ///< folder
    std::vector<std::string> controllers;  ///< those the groups made there shall have
    /// v2: controllers the parent's cgroup.subtree_control lacks.
    std::vector<std::string> to_enable = {};
};

/// Where groups with these controllers can be made: v1 below our own group; v2 below the nearest
/// group, upwards from ours, that hands them down or can be made to. The latter can't be where
/// processes are, but for the root; and "cpuset" only below a partition root, as exclusive CPUs
/// want it. Controllers of one hierarchy share a branch. An Error names what is missing at which
/// level.
[[nodiscard]] Result<std::vector<CgroupBranch>> find_branches(
    const std::vector<std::string>& controllers, const SystemRoot& system);

/// Whether the v2 group gives the controller to the groups inside it.
[[nodiscard]] bool hands_down(const SystemRoot& system, const std::string& folder,
                              const std::string& controller);

/// Where groups without any controller can be made in v2, that leave a process's cpu group as it
/// is: below our own, unless that hands cpu down. nullopt: nowhere.
[[nodiscard]] std::optional<CgroupBranch> find_accounting_v2(const SystemRoot& system);

}  // namespace bench
