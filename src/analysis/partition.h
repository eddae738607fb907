#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/side.h"

namespace bench::analysis {

/// What two parts of one bundle differ in; `side`: A and B of a run of pairs.
enum class PartBy { kernel, scheduler, variant, side };
[[nodiscard]] std::string_view part_by_text(PartBy by);  ///< "kernel", ...

/// The distinct values in a side, kernels as versions sort, others as text. What is empty (an
/// unknown kernel, a variant of defaults alone) is called "(none)".
[[nodiscard]] std::vector<std::string> part_values(const Side& side, PartBy by);

/// Base and new among `values`: the two there are, in their order, when `chosen` is empty; else as
/// "A,B" says, where A and B may hold commas themselves. An Error lists the values there are.
[[nodiscard]] Result<std::pair<std::string, std::string>> choose_parts(
    PartBy by, const std::vector<std::string>& values, const std::string& chosen);

/// The launches with that value, as a side of its name.
[[nodiscard]] Side part_of(const Side& side, PartBy by, const std::string& value);

}  // namespace bench::analysis
