#pragma once

#include <string>

#include "common/result.h"

namespace bench {

/// Kills whatever is in the cgroup of this folder, by cgroup.kill or one by one, and returns when
/// it is empty. What belongs to another pid namespace can't be named, and so not be killed without
/// cgroup.kill. ETIMEDOUT after ten seconds; no Error when there is no such group.
[[nodiscard]] Status empty_cgroup(const std::string& folder);

/// Empties and removes it; groups inside it must be gone already. ENOENT is success; EBUSY is tried
/// again for ten seconds.
[[nodiscard]] Status remove_cgroup(const std::string& folder);

/// With the groups inside it.
[[nodiscard]] Status remove_cgroup_tree(const std::string& folder);

}  // namespace bench
