#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/sysfs.h"

namespace bench {

/// One line of /proc/PID/cgroup, and where its files lie.
struct CgroupHierarchy {
    bool v2 = false;
    std::vector<std::string> controllers;  ///< of v1: "cpu", "cpuacct", "name=systemd"; v2: none
    std::string path;                      ///< as the kernel tells: "/user.slice"
    std::optional<std::string> mount;      ///< where the hierarchy is mounted; absent: nowhere
    std::optional<std::string> folder;     ///< of our group; absent: not visible from here
};

/// All of this process's, in the kernel's order; empty when not readable.
[[nodiscard]] std::vector<CgroupHierarchy> cgroup_hierarchies(const SystemRoot& system);

/// The group whose `controller` ("cpu") governs this process. In v1 that is the line with its
/// name, also in hybrid mode; in v2 our group or the nearest one above with the controller
/// switched on. nullopt: none, or it can't be seen.
[[nodiscard]] std::optional<CgroupHierarchy> find_cgroup(const SystemRoot& system,
                                                         std::string_view controller);

/// Whether the group is the root of all groups, not merely of what a container sees: autogroups act
/// there alone. nullopt: can't be told.
[[nodiscard]] std::optional<bool> is_root_cgroup(const SystemRoot& system,
                                                 const CgroupHierarchy& group);

/// The folder of `group`, and those above it up to the mount.
[[nodiscard]] std::vector<std::string> cgroup_ancestry(const CgroupHierarchy& group);

}  // namespace bench
