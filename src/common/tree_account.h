#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include "common/tree_usage.h"

namespace bench {

/// The account of a child subreaper over all that descends from it.
class TreeAccount {
  public:
    /// A child it has reaped, as wait4(2) tells: with the children that one had waited for.
    void add_ended(const rusage& used);

    /// Now, with what descends from `root`. CPU time never falls from one reading to the next.
    [[nodiscard]] TreeUsage read(pid_t root);

  private:
    TreeUsage ended_{};  ///< of those that were reaped
    std::uint64_t ended_switches_ = 0;
    bool any_ended_ = false;
    Duration last_cpu_time_{};
};

}  // namespace bench
