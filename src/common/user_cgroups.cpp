#include "common/user_cgroups.h"

namespace bench {

std::uint64_t shares_of_weight(std::uint32_t weight) {
    return (std::uint64_t{weight} * 1024 + 50) / 100;
}

Result<std::unique_ptr<UserCgroups>> UserCgroups::create(const Options& /*options*/,
                                                         const SystemRoot& /*system*/) {
    return plain_error("create", "cgroups", "not built");
}

Status check_autogroup_usable(const SystemRoot& /*system*/) {
    return plain_error("use", "autogroup", "not built");
}

std::optional<std::uint64_t> autogroup_id(const SystemRoot& /*system*/, pid_t /*pid*/) {
    return std::nullopt;
}

}  // namespace bench
