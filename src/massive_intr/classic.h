#pragma once

#include <string>

#include "massive_intr/session.h"

namespace bench::massive_intr {

/// The classic program massive_intr: number of processes and seconds in, a line "pid TAB loops" per
/// process out. Returns its exit status.
[[nodiscard]] int classic_main(int argc, char** argv);

/// What it prints on standard output: in order of finish.
[[nodiscard]] std::string classic_report(const Recording& recording);

}  // namespace bench::massive_intr
