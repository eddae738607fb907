#pragma once

#include <filesystem>
#include <string>

#include "common/guardian.h"
#include "common/result.h"

namespace bench {

/// The first line that `qemu --version` prints. An Error when it does not run.
[[nodiscard]] Result<std::string> qemu_version(const std::filesystem::path& qemu,
                                               const Guardian& keeper);

/// bench-static: beside this executable, or in ../libexec/bench from there. An Error says where it
/// was looked for.
[[nodiscard]] Result<std::filesystem::path> find_guest_program();

}  // namespace bench
