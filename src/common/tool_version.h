#pragma once

#include <string_view>

namespace bench {

/// What this executable was made from.
struct ToolVersion {
    std::string_view version;     ///< "0.1.0"
    std::string_view revision;    ///< of git, with "-dirty" behind it; "unknown" outside a checkout
    std::string_view compiler;    ///< "GNU 12.2.0"
    std::string_view build_type;  ///< "Release"
};

[[nodiscard]] const ToolVersion& tool_version();

}  // namespace bench
