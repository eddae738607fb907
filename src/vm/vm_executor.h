#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/guardian.h"
#include "common/stop_source.h"
#include "runner/executor.h"
#include "vm/guest_setup.h"

namespace bench {

/// Runs cells in guests: boots the kernel that their place names ("--kernel", "--append"), whose
/// init runs the same `bench exec`, and takes the bundles over. Guests in virtual time run beside
/// each other, as many as there are CPUs and memory for, those in real time one after the other.
/// Nothing of QEMU outlives run_all(), or us. When a guest breaks down under a cell, the cells
/// behind it have another boot.
class VmExecutor : public Executor {
  public:
    /// Packs the part of the image that all guests share. `stop` and `keeper` as in LocalExecutor.
    [[nodiscard]] static Result<std::unique_ptr<VmExecutor>> create(GuestSetup setup,
                                                                    StopSource& stop,
                                                                    const Guardian& keeper);

    [[nodiscard]] Result<CellExecution> run(const CellRequest& request, const Tick& tick) override;
    [[nodiscard]] bool run_all(CellQueue& queue) override;

    /// For run.json: QEMU's version, the machine, what the guests run, every kernel with its hash.
    [[nodiscard]] nlohmann::ordered_json description() const;

  private:
    VmExecutor(GuestSetup setup, StopSource& stop, const Guardian& keeper)
        : setup_(std::move(setup)), stop_(stop), keeper_(keeper) {}

    GuestSetup setup_;
    StopSource& stop_;
    const Guardian& keeper_;
    std::string init_image_;   ///< the first member of each image: /init
    std::string init_sha256_;  ///< of bench-static
    std::int64_t boots_ = 0;
};

/// The value of an option in a cell's place; empty when it has none.
[[nodiscard]] std::string place_value(const std::vector<std::pair<std::string, std::string>>& place,
                                      std::string_view option);

}  // namespace bench
