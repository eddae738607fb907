#include "common/user_identity.h"

namespace bench {

Result<UserIdentities> resolve_users(const std::vector<std::string>& /*names*/,
                                     const SystemRoot& /*system*/) {
    return plain_error("resolve", "users", "not built");
}

std::vector<std::string> user_environment(const UserIdentity& /*user*/) {
    return {};
}

Status become_user(const UserIdentity& /*user*/) {
    return plain_error("become", "user", "not built");
}

Error user_error(int code, const std::string& operation, const UserIdentity& user) {
    return Error{code, operation, user.name, {}};
}

}  // namespace bench
