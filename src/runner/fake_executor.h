#pragma once

#include <map>

#include "common/bundle.h"
#include "runner/executor.h"

namespace bench {

/// Runs nothing: writes the bundle that a script says the cell has. For the runner's own tests, and
/// for trying a plan without spending its time.
class FakeExecutor : public Executor {
  public:
    /// Fills the record for a request, and may change how the cell ends. `record.cell` and the
    /// key's clients and seed are already read from the arguments.
    using Script = std::function<CellExecution(const CellRequest&, CellRecord&)>;
    explicit FakeExecutor(Script script) : script_(std::move(script)) {}

    [[nodiscard]] Result<CellExecution> run(const CellRequest& request, const Tick& tick) override;

    /// The value of `--NAME=value` in a request; empty when it has none.
    [[nodiscard]] static std::string argument(const CellRequest& request, std::string_view name);

    [[nodiscard]] const std::vector<CellRequest>& requests() const { return requests_; }

  private:
    Script script_;
    std::vector<CellRequest> requests_;
};

}  // namespace bench
