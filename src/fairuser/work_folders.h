#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "common/guardian.h"
#include "common/user_identity.h"

namespace bench::fairuser {

/// Where one user works in one session, below the folder of the run.
struct WorkFolder {
    std::filesystem::path work, home, temporary;  ///< the user's own
    std::filesystem::path output;                 ///< a file, not the user's
};

/// A fresh folder in $TMPDIR or /tmp, open to all for passing through, that goes with its guardian.
[[nodiscard]] Result<Guardian> make_run_folder();

/// Makes the folders of `user` for `session` ("all", "solo") and gives them to `identity`.
[[nodiscard]] Result<WorkFolder> make_work_folder(const std::filesystem::path& run_folder,
                                                  const std::string& session,
                                                  const std::string& user,
                                                  const std::optional<UserIdentity>& identity);

/// Gives a folder with all it holds to `identity`; absent: nothing is done.
[[nodiscard]] Status give_to(const std::filesystem::path& folder,
                             const std::optional<UserIdentity>& identity);

/// Whether `identity` may pass through every folder from the root down to `folder`, that included,
/// by owner, group and mode. The Error names the first that is closed.
[[nodiscard]] Status check_passage(const std::filesystem::path& folder,
                                   const UserIdentity& identity);

}  // namespace bench::fairuser
