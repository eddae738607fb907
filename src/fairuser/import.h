#pragma once

#include <string_view>

#include "common/benchmark.h"

namespace bench::fairuser {

/// Reads what two users got in one run, a line each: name, what it ran, and when it finished
/// ("472.07 s") or how fast it worked ("10128 msg/s"), separated by tabs or by two blanks and more:
///
///     vatsa    make -j4     472.07 s
///     guest    make -j20    257.48 s
///     reference             472.07 s
///
/// The last line is optional: the time (or, beside rates, the rate of both users together) of the
/// run without grouping, which makes efficiency and fairness number. Lines that begin with # and
/// blank ones are skipped. Shares follow from times of equal work alone, on a machine that was busy
/// to the end; from rates they are those of the work. What can't be derived stays empty, and a note
/// says so. An Error names the line.
[[nodiscard]] Result<ImportedCell> import_classic(std::string_view text);

}  // namespace bench::fairuser
