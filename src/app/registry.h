#pragma once

#include <memory>
#include <vector>

#include "common/benchmark.h"

namespace bench {

/// Every test built in, in the order of CMakeLists.txt. Defined in a generated source.
[[nodiscard]] std::vector<std::unique_ptr<Benchmark>> make_benchmarks();

}  // namespace bench
