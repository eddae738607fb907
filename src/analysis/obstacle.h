#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bench::analysis {

/// Something that makes a comparison say nothing, unless it is allowed by its name.
struct Obstacle {
    std::string id;    ///< what --allow takes: "cpu-model", "governor", ...
    std::string text;  ///< one line: what differs, and how
};

struct ObstacleKind {
    std::string_view id;
    std::string_view what;  ///< for help
};

/// All ids there are, in the order of the help.
[[nodiscard]] const std::vector<ObstacleKind>& obstacle_kinds();

}  // namespace bench::analysis
