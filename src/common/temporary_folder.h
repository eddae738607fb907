#pragma once

#include <filesystem>
#include <string_view>

#include "common/result.h"

namespace bench {

/// A fresh folder "PREFIX-XXXXXX", mode 0700, below $TMPDIR or /tmp. Who makes it hands it to a
/// Guardian, which removes it whatever happens.
[[nodiscard]] Result<std::filesystem::path> make_temporary_folder(std::string_view prefix);

}  // namespace bench
