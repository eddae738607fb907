#include "common/user_identity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <grp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <limits>
#include <set>

#include "common/environment_text.h"
#include "common/syscalls.h"

namespace bench {
namespace {

using environment::lines;
using environment::value_of;
using environment::words;

constexpr unsigned kCapSetgid = 6;
constexpr unsigned kCapSetuid = 7;

/// Fields between colons, empty ones too.
std::vector<std::string_view> fields_of(std::string_view line, char separator) {
    std::vector<std::string_view> fields;
    while (true) {
        const std::size_t end = line.find(separator);
        fields.push_back(line.substr(0, end));
        if (end == std::string_view::npos) {
            return fields;
        }
        line.remove_prefix(end + 1);
    }
}

/// An id the kernel takes: the largest number means "leave as it is" there.
std::optional<std::uint32_t> id_of(std::string_view text) {
    std::uint32_t id = 0;
    const char* end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, id);
    const bool whole = failure == std::errc() && stop == end && !text.empty();
    return whole && id != std::numeric_limits<std::uint32_t>::max() ? std::optional(id)
                                                                    : std::nullopt;
}

/// What the two files say. A machine may do without them.
class Accounts {
  public:
    static Result<Accounts> read(const SystemRoot& system) {
        Accounts accounts;
        for (auto [path, text] : {std::pair("/etc/passwd", &accounts.passwd_),
                                  std::pair("/etc/group", &accounts.group_)}) {
            Result<std::string> read = system.read(path);
            if (read) {
                *text = std::move(read).value();
            } else if (read.error().code != ENOENT) {
                return read.error();
            }
        }
        return accounts;
    }

    /// nullopt: there is no such account.
    [[nodiscard]] Result<std::optional<UserIdentity>> find(const std::string& name) const {
        for (const std::string_view line : lines(passwd_)) {
            const auto fields = fields_of(line, ':');
            if (fields[0] != name) {
                continue;
            }
            const auto uid = fields.size() == 7 ? id_of(fields[2]) : std::nullopt;
            const auto gid = fields.size() == 7 ? id_of(fields[3]) : std::nullopt;
            if (!uid || !gid) {
                return plain_error("read", "/etc/passwd",
                                   fmt::format("the line of {} is not "
                                               "'name:password:uid:gid:comment:home:shell'",
                                               name));
            }
            return std::optional(UserIdentity{name, *uid, *gid, groups_of(name, *gid),
                                              std::string(fields[5]), true});
        }
        return std::optional<UserIdentity>();
    }

    /// Whether an account or a group has this number.
    [[nodiscard]] bool has(std::uint32_t id) const {
        const auto holds = [id](std::string_view text, std::size_t first, std::size_t last) {
            for (const std::string_view line : lines(text)) {
                const auto fields = fields_of(line, ':');
                for (std::size_t i = first; i <= last && i < fields.size(); ++i) {
                    if (id_of(fields[i]) == id) {
                        return true;
                    }
                }
            }
            return false;
        };
        return holds(passwd_, 2, 3) || holds(group_, 2, 2);
    }

  private:
    [[nodiscard]] std::vector<gid_t> groups_of(const std::string& name, gid_t own) const {
        std::set<gid_t> groups{own};
        for (const std::string_view line : lines(group_)) {
            const auto fields = fields_of(line, ':');
            const auto gid = fields.size() == 4 ? id_of(fields[2]) : std::nullopt;
            if (!gid) {
                continue;
            }
            const auto members = fields_of(environment::trim(fields[3]), ',');
            if (std::find(members.begin(), members.end(), name) != members.end()) {
                groups.insert(*gid);
            }
        }
        return {groups.begin(), groups.end()};
    }

    std::string passwd_;
    std::string group_;
};

/// Real, effective, saved and file system uids of all processes, as far as they can be seen.
std::set<std::uint32_t> uids_in_use(const SystemRoot& system) {
    std::set<std::uint32_t> uids;
    for (const std::string& pid : system.list("/proc")) {
        if (!id_of(pid)) {
            continue;
        }
        const auto status = system.read("/proc/" + pid + "/status");
        const auto ids = status ? value_of(*status, "Uid") : std::nullopt;
        for (const std::string_view id : ids ? words(*ids) : std::vector<std::string_view>()) {
            if (const auto uid = id_of(id)) {
                uids.insert(*uid);
            }
        }
    }
    return uids;
}

/// Whether a map ("inside outside count" lines) has the id. A kernel without namespaces has none.
bool is_mapped(const SystemRoot& system, const char* map, std::uint32_t id) {
    const auto text = system.read(map);
    if (!text) {
        return true;
    }
    for (const std::string_view line : lines(*text)) {
        const auto parts = words(line);
        const auto first = parts.size() == 3 ? environment::whole_number(parts[0]) : std::nullopt;
        const auto count = parts.size() == 3 ? environment::whole_number(parts[2]) : std::nullopt;
        if (first && count && id >= *first && id - *first < *count) {
            return true;
        }
    }
    return false;
}

std::optional<std::string> missing_right(const SystemRoot& system) {
    const auto status = system.read("/proc/self/status");
    const auto hex = status ? value_of(*status, "CapEff") : std::nullopt;
    std::uint64_t bits = 0;
    if (!hex ||
        std::from_chars(hex->data(), hex->data() + hex->size(), bits, 16).ec != std::errc()) {
        return "the capabilities of this process can't be read";
    }
    if ((bits >> kCapSetuid & 1U) == 0 || (bits >> kCapSetgid & 1U) == 0) {
        return "CAP_SETUID or CAP_SETGID is missing: run as root";
    }
    if (system.read_trimmed("/proc/self/setgroups") == "deny") {
        return "this user namespace denies setgroups";
    }
    return std::nullopt;
}

std::optional<std::string> unmapped(const SystemRoot& system, const UserIdentity& user) {
    bool all = is_mapped(system, "/proc/self/uid_map", user.uid);
    for (const gid_t gid : user.groups) {
        all = all && is_mapped(system, "/proc/self/gid_map", gid);
    }
    return all ? std::nullopt
               : std::optional(fmt::format("this user namespace does not have uid {} or groups {}",
                                           user.uid, fmt::join(user.groups, ",")));
}

Result<UserIdentity> free_number(const std::string& name, const Accounts& accounts,
                                 const std::set<std::uint32_t>& used) {
    for (uid_t uid = kFirstUserUid; uid <= kLastUserUid; ++uid) {
        if (used.count(uid) == 0 && !accounts.has(uid)) {
            return UserIdentity{name, uid, uid, {uid}, {}, false};
        }
    }
    return plain_error("find", "a uid for " + name,
                       fmt::format("all of {}..{} belong to accounts, groups or running processes",
                                   kFirstUserUid, kLastUserUid));
}

bool has_groups(const std::vector<gid_t>& wanted) {
    const int count = ::getgroups(0, nullptr);
    std::vector<gid_t> groups(static_cast<std::size_t>(std::max(count, 0)));
    if (count < 0 || ::getgroups(count, groups.data()) != count) {
        return false;
    }
    std::sort(groups.begin(), groups.end());
    return groups == wanted;
}

bool is_user(const UserIdentity& user) {
    std::array<uid_t, 3> uids{};
    std::array<gid_t, 3> gids{};
    if (::getresuid(&uids[0], &uids[1], &uids[2]) != 0 ||
        ::getresgid(&gids[0], &gids[1], &gids[2]) != 0) {
        return false;
    }
    const auto same = [](const auto& ids, auto wanted) {
        return std::all_of(ids.begin(), ids.end(), [&](auto id) { return id == wanted; });
    };
    return same(uids, user.uid) && same(gids, user.gid) && has_groups(user.groups);
}

}  // namespace

Result<UserIdentities> resolve_users(const std::vector<std::string>& names,
                                     const SystemRoot& system) {
    constexpr const char* kOneUid = "all users run under one uid: ";
    if (const auto missing = missing_right(system)) {
        return UserIdentities{{}, kOneUid + *missing};
    }
    const Result<Accounts> accounts = Accounts::read(system);
    if (!accounts) {
        return accounts.error();
    }
    std::set<std::uint32_t> used = uids_in_use(system);
    UserIdentities found;
    for (const std::string& name : names) {
        const Result<std::optional<UserIdentity>> account = accounts->find(name);
        if (!account) {
            return account.error();
        }
        const Result<UserIdentity> user =
            *account ? Result<UserIdentity>(**account) : free_number(name, *accounts, used);
        if (!user) {
            return user.error();
        }
        if (const auto reason = unmapped(system, *user)) {
            return UserIdentities{{}, kOneUid + *reason};
        }
        for (const UserIdentity& other : found.users) {
            if (other.uid == user->uid) {
                return plain_error("resolve", fmt::format("users {} and {}", other.name, name),
                                   fmt::format("both have uid {}: each needs its own", user->uid));
            }
        }
        used.insert(user->uid);
        found.users.push_back(*user);
    }
    return found;
}

std::vector<std::string> user_environment(const UserIdentity& user) {
    return {user.home.empty() ? "HOME" : "HOME=" + user.home, "USER=" + user.name,
            "LOGNAME=" + user.name};
}

Status become_user(const UserIdentity& user) {
    if (syscalls().setgroups(user.groups.size(), user.groups.data()) != 0) {
        return user_error(errno, "setgroups", user);
    }
    if (syscalls().setresgid(user.gid, user.gid, user.gid) != 0) {
        return user_error(errno, "setresgid", user);
    }
    if (syscalls().setresuid(user.uid, user.uid, user.uid) != 0) {
        return user_error(errno, "setresuid", user);
    }
    if (!is_user(user)) {
        return user_error(0, "verify user", user);
    }
    constexpr uid_t kLeave = std::numeric_limits<uid_t>::max();
    if (user.uid != 0 && ::setresuid(kLeave, 0, kLeave) == 0) {
        return user_error(0, "verify user", user);
    }
    return {};
}

Error user_error(int code, const std::string& operation, const UserIdentity& user) {
    Error error{code, operation, fmt::format("{} (uid {})", user.name, user.uid), {}};
    if (code == 0) {
        error.detail =
            "the kernel took it, but reads back another uid or group, or leaves the way back to "
            "root open";
    } else if (code == EAGAIN) {
        error.detail = "it has as many processes as RLIMIT_NPROC allows (ulimit -u)";
    } else if (code == EPERM) {
        error.detail = "CAP_SETUID or CAP_SETGID is missing: run as root";
    } else if (code == EINVAL) {
        error.detail = "this user namespace does not have the id";
    }
    return error;
}

}  // namespace bench
