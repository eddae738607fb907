#pragma once

#include <string>

#include "latt/classic_options.h"
#include "latt/recording.h"

namespace bench::latt {

/// What the classic prints on standard output, to the byte. Figures are whole microseconds, cut
/// off sample by sample as the classic cut them. Without entries there are no averages to print.
/// Entries whose stamps are reversed are left out.
[[nodiscard]] std::string classic_report(const ClassicOptions& options, const Recording& recording);

/// What -v adds on standard error: the waker's lateness, then a line a client.
[[nodiscard]] std::string classic_details(const ClassicOptions& options,
                                          const Recording& recording);

}  // namespace bench::latt
