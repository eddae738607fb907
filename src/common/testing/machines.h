#pragma once

#include <string_view>

#include "common/testing/fixture_tree.h"

// Parts of machines for fixture trees.
namespace bench::testing {

/// uname's facts of a kernel.
void add_kernel(FixtureTree& tree, std::string_view release,
                std::string_view version = "#1 SMP PREEMPT_DYNAMIC Mon Jan 1 00:00:00 UTC 2024");

/// 12 CPUs: 0-7 are four fast cores with two threads each (0-1, 2-3, ..) up to 5.4 GHz, 8-11 slow
/// ones up to 4.1 GHz; nodes 0 (0-7) and 1 (8-11); governor performance everywhere.
void add_hybrid_cpus(FixtureTree& tree);

}  // namespace bench::testing
