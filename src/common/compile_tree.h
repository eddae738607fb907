#pragma once

#include <cstdint>
#include <filesystem>

#include "common/result.h"

namespace bench {

struct CompileTreeOptions {
    int units = 60;               ///< C files, beside main.c
    int functions_per_unit = 18;  ///< about 16 lines each
    std::uint64_t seed = 1;       ///< the same seed writes the same tree
};

/// Writes a C program with its Makefile into `folder`, which exists: functions with loops, tables,
/// structures and switches, so that optimising them is real work. It needs no header and no library
/// beyond the C start-up files.
[[nodiscard]] Status write_compile_tree(const std::filesystem::path& folder,
                                        const CompileTreeOptions& options);

}  // namespace bench
