#include "fairuser/work_folders.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "common/temporary_folder.h"

namespace bench::fairuser {
namespace {

namespace fs = std::filesystem;

Status make(const fs::path& folder) {
    std::error_code code;
    fs::create_directories(folder, code);
    if (code) {
        return Error{code.value(), "mkdir", folder.string(), {}};
    }
    return {};
}

}  // namespace

Result<Guardian> make_run_folder() {
    Guardian::Options options;
    options.scratch_prefix = temporary_prefix("bench-fairuser");
    auto guardian = Guardian::start(std::move(options));
    if (!guardian) {
        return guardian.error();
    }
    constexpr mode_t kPassThrough = 0711;
    if (::chmod(guardian->scratch().c_str(), kPassThrough) != 0) {
        return errno_error("chmod", guardian->scratch().string());
    }
    return guardian;
}

Result<WorkFolder> make_work_folder(const fs::path& run_folder, const std::string& session,
                                    const std::string& user,
                                    const std::optional<UserIdentity>& identity) {
    const fs::path own = run_folder / session / user;
    const WorkFolder folder{.work = own / "work",
                            .home = own / "home",
                            .temporary = own / "tmp",
                            .output = run_folder / session / (user + ".output")};
    for (const fs::path& one : {folder.work, folder.home, folder.temporary}) {
        if (Status made = make(one); !made) {
            return made.error();
        }
    }
    constexpr mode_t kPassThrough = 0711;
    if (::chmod((run_folder / session).c_str(), kPassThrough) != 0) {
        return errno_error("chmod", (run_folder / session).string());
    }
    if (Status given = give_to(own, identity); !given) {
        return given.error();
    }
    return folder;
}

Status give_to(const fs::path& folder, const std::optional<UserIdentity>& identity) {
    if (!identity) {
        return {};
    }
    const auto give = [&](const fs::path& path) -> Status {
        return ::lchown(path.c_str(), identity->uid, identity->gid) == 0
                   ? Status()
                   : errno_error("chown", path.string(), "to user " + identity->name);
    };
    std::error_code code;
    for (const auto& entry : fs::recursive_directory_iterator(folder, code)) {
        if (Status given = give(entry.path()); !given) {
            return given;
        }
    }
    if (code) {
        return Error{code.value(), "list", folder.string(), {}};
    }
    return give(folder);
}

Status check_passage(const fs::path& folder, const UserIdentity& identity) {
    std::error_code code;
    // Links are followed: what lies behind them counts.
    const fs::path whole = fs::canonical(folder, code);
    if (code) {
        return Error{code.value(), "find", folder.string(), {}};
    }
    fs::path so_far;
    for (const fs::path& part : whole) {
        so_far /= part;
        struct stat entry {};
        if (::stat(so_far.c_str(), &entry) != 0) {
            return errno_error("stat", so_far.string());
        }
        mode_t needed = S_IXOTH;
        if (entry.st_uid == identity.uid) {
            needed = S_IXUSR;
        } else if (std::binary_search(identity.groups.begin(), identity.groups.end(),
                                      entry.st_gid)) {
            needed = S_IXGRP;
        }
        if ((entry.st_mode & needed) == 0) {
            constexpr mode_t kPermissions = 07777;
            return plain_error(
                "enter", so_far.string(),
                fmt::format("closed to user {} (uid {}) by its mode {:04o}", identity.name,
                            identity.uid, entry.st_mode & kPermissions));
        }
    }
    return {};
}

}  // namespace bench::fairuser
