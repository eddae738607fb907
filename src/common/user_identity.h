#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/result.h"
#include "common/sysfs.h"

namespace bench {

/// Users without an account run under uids of this range, each with a group of the same number. It
/// fits into 16 bits, so that containers with the usual map have it; it lies above the accounts of
/// people (up to 60000) and between the ranges that service managers allot at run time.
inline constexpr uid_t kFirstUserUid = 60600;
inline constexpr uid_t kLastUserUid = 60855;

/// Whom a user's processes run as.
struct UserIdentity {
    std::string name;
    uid_t uid = 0;
    gid_t gid = 0;
    std::vector<gid_t> groups;  ///< ascending, gid among them, each once: what `id -G NAME` tells
    std::string home;           ///< of the account; empty without one: the caller gives a folder
    bool account = false;       ///< from /etc/passwd; false: a number of the range above
    bool operator==(const UserIdentity&) const = default;
};

struct UserIdentities {
    /// One per name, in that order, each with a uid of its own; empty: all run as this process.
    std::vector<UserIdentity> users;
    std::string note;  ///< why `users` is empty
};

/// What each of `names` (distinct, not empty) runs as. With the rights of root: the account of that
/// name in /etc/passwd with its groups in /etc/group (the files alone are read, no name service is
/// asked), else the lowest uid of the range that neither an account, a group nor a running process
/// has. Without them, or where a user namespace or a denied setgroups(2) forbids it: none, and a
/// note. An Error: two names with one uid, an account line that can't be read, no uid free.
[[nodiscard]] Result<UserIdentities> resolve_users(const std::vector<std::string>& names,
                                                   const SystemRoot& system);

/// HOME (when known, else removed), USER and LOGNAME, as SupervisedCommand::environment takes them.
[[nodiscard]] std::vector<std::string> user_environment(const UserIdentity& user);

/// Makes this process run as `user`: groups, gids, uids, in this order, each read back from the
/// kernel; then checks that the way back to root is closed. In a single-threaded child before
/// exec(2). It takes the parent death signal away: set that afterwards. The Error's operation is
/// the call ("setgroups", "setresgid", "setresuid", "verify user"); the process must then end.
[[nodiscard]] Status become_user(const UserIdentity& user);

/// Completes an Error of become_user(), of which only operation and errno came through a pipe.
[[nodiscard]] Error user_error(int code, const std::string& operation, const UserIdentity& user);

}  // namespace bench
