#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Which cells share a boot. Cells of different places (kernels, command lines) never do.
enum class Boots {
    per_cell,        ///< none
    per_repetition,  ///< those of one repetition or seed
    twice,           ///< those of the first half of the repetitions, and those of the second
    once,            ///< all
};

/// What decides about a cell's boot.
struct GuestCell {
    std::size_t index = 0;  ///< whatever the caller knows it by
    std::vector<std::pair<std::string, std::string>> place = {};
    std::int64_t repetition = 1;
};

/// The indices of the cells boot by boot, in the order given; boots in the order of their first
/// cells. No boot has more than kMostCellsABoot: the rest has one more.
[[nodiscard]] std::vector<std::vector<std::size_t>> batch_cells(const std::vector<GuestCell>& cells,
                                                                Boots boots);

/// So that the samples of all fit into the memory that guest and host share.
inline constexpr std::size_t kMostCellsABoot = 200;

}  // namespace bench
