#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runner/executor.h"
#include "vm/guest_boot.h"

namespace bench {

/// What became of one cell of a guest.
struct GuestAnswer {
    CellExecution execution;
    std::vector<std::pair<std::string, std::string>> bundle;  ///< names and bytes of its files
    /// The same for two runs exactly when both did the same.
    [[nodiscard]] std::string digest() const;
};

/// The answers of the cells that were run, in order: up to the first that broke, or to the last. A
/// guest that broke down before any cell, or never came up, has one for each. None for cells behind
/// a broken one: they have to be run again.
[[nodiscard]] std::vector<GuestAnswer> read_answers(const GuestTask& task,
                                                    const GuestRemains& remains);

/// Makes the folder of a cell's bundle with its files.
[[nodiscard]] Status write_bundle(const GuestAnswer& answer, const std::filesystem::path& folder);

}  // namespace bench
