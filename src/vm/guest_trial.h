#pragma once

#include "common/clock.h"

namespace bench {

/// For tests of what a guest and its host must bear. Asked for on the kernel's command line, whose
/// unknown words become the environment of the first process:
///
///   BENCH_TRIAL_NOISE=MS       a message to the kernel's log every MS milliseconds, to the end
///   BENCH_TRIAL_CLOCK=SECONDS  the wall clock is set on by that much in the middle of each cell
class GuestTrial {
  public:
    /// Reads the environment and begins with the noise.
    GuestTrial();
    /// A sign of life is given, `since_cell` after the cell began.
    void beat(Duration since_cell) const;

  private:
    Duration clock_step_{};
};

}  // namespace bench
