#pragma once

#include "common/guardian.h"
#include "common/stop_source.h"
#include "runner/executor.h"

namespace bench {

/// Runs each cell as a fresh process of this very executable, under a guardian: nothing of it
/// outlives the cell, or us.
class LocalExecutor : public Executor {
  public:
    /// `stop` cuts the waiting short when a signal comes; the signal itself is the tick's business.
    /// `keeper` guards the folder of the cells' bundles: it cleans up after the cells.
    LocalExecutor(StopSource& stop, const Guardian& keeper) : stop_(stop), keeper_(keeper) {}

    [[nodiscard]] Result<CellExecution> run(const CellRequest& request, const Tick& tick) override;

  private:
    StopSource& stop_;
    const Guardian& keeper_;
};

}  // namespace bench
