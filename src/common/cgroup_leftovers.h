#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "common/sysfs.h"

namespace bench {

/// How the groups of a run are called: its process, when that started in clock ticks after boot,
/// and its pid namespace. No two processes of a boot share all three.
struct CgroupOwner {
    std::int64_t pid = 0;
    std::uint64_t start_ticks = 0;
    std::uint64_t pid_namespace = 0;

    [[nodiscard]] std::string folder_name() const;  ///< "bench-fairuser-71-4500-4026531836"
    [[nodiscard]] static std::optional<CgroupOwner> parse(std::string_view folder_name);
    bool operator==(const CgroupOwner&) const = default;
};

/// This process.
[[nodiscard]] Result<CgroupOwner> own_cgroup_owner(const SystemRoot& system);

/// Removes the groups of runs that are gone, with what is in them, from our group and all above it,
/// in every hierarchy. Returns a sentence for each that was removed, that could not be, or whose
/// run can't be seen from here (another pid namespace; it is left alone). Those of living runs are
/// no leftovers.
[[nodiscard]] std::vector<std::string> remove_leftover_cgroups(const SystemRoot& system);

}  // namespace bench
