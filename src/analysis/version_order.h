#pragma once

#include <string_view>

namespace bench::analysis {

/// Whether release `left` comes before `right`, as people count: numbers by value (7.0.2 before
/// 7.0.10), a release candidate or a "~" before what it leads to (6.12-rc3 before 6.12 and
/// 6.12.1, 6.6.87~dirty before 6.6.87). A strict weak order over any text, for sorting; texts that
/// only differ in leading zeros are ordered by their characters.
[[nodiscard]] bool version_less(std::string_view left, std::string_view right);

}  // namespace bench::analysis
