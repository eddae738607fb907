#pragma once

#include <functional>
#include <map>
#include <string>

#include "analysis/testing/golden.h"

namespace bench::analysis::testing {

/// What checks a case, by the name of its function.
using GoldenHandlers = std::map<std::string, std::function<void(GoldenCase&)>>;

[[nodiscard]] GoldenHandlers rank_handlers();
[[nodiscard]] GoldenHandlers resampling_handlers();
[[nodiscard]] GoldenHandlers fairness_handlers();
[[nodiscard]] GoldenHandlers planning_handlers();
[[nodiscard]] GoldenHandlers verdict_handlers();

}  // namespace bench::analysis::testing
