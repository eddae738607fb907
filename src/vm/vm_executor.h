#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/guardian.h"
#include "common/stop_source.h"
#include "runner/executor.h"
#include "vm/kernel_file.h"
#include "vm/qemu_command.h"

namespace bench {

/// What every guest of a run has in common.
struct GuestSetup {
    std::filesystem::path qemu;
    std::string qemu_version;         ///< the first line of `qemu --version`
    std::filesystem::path init;       ///< bench-static
    GuestMachine machine;             ///< but for `append`, which a place has
    Duration boot_timeout{};          ///< of the host's time, until the guest's init lives
    std::vector<KernelFile> kernels;  ///< every one that a place may name
};

/// Runs each cell in a guest of its own: boots the kernel that the cell's place names ("--kernel",
/// "--append"), whose init runs the same `bench exec`, and takes the bundle over. QEMU runs under a
/// guardian, on one CPU of those this process may use: nothing of it outlives the cell, or us.
class VmExecutor : public Executor {
  public:
    /// Packs the part of the image that all guests share. `stop` and `keeper` as in LocalExecutor.
    [[nodiscard]] static Result<std::unique_ptr<VmExecutor>> create(GuestSetup setup,
                                                                    StopSource& stop,
                                                                    const Guardian& keeper);

    [[nodiscard]] Result<CellExecution> run(const CellRequest& request, const Tick& tick) override;

    /// For run.json: QEMU's version, the machine, what the guests run, every kernel with its hash.
    [[nodiscard]] nlohmann::ordered_json description() const;

  private:
    struct Boot;
    VmExecutor(GuestSetup setup, StopSource& stop, const Guardian& keeper)
        : setup_(std::move(setup)), stop_(stop), keeper_(keeper) {}

    [[nodiscard]] Status prepare(Boot& boot, const CellRequest& request) const;
    [[nodiscard]] Status watch(Boot& boot, const CellRequest& request, const Tick& tick);
    [[nodiscard]] CellExecution judge(const Boot& boot, const CellRequest& request) const;

    GuestSetup setup_;
    StopSource& stop_;
    const Guardian& keeper_;
    std::string init_image_;  ///< the first member of each image: /init
    std::int64_t boots_ = 0;
    std::string init_sha256_;  ///< of bench-static
};

/// The first line that `qemu --version` prints. An Error when it does not run.
[[nodiscard]] Result<std::string> qemu_version(const std::filesystem::path& qemu,
                                               const Guardian& keeper);

/// bench-static: beside this executable, or in ../libexec/bench from there. An Error says where it
/// was looked for.
[[nodiscard]] Result<std::filesystem::path> find_guest_program();

/// The value of an option in a cell's place; empty when it has none.
[[nodiscard]] std::string place_value(const std::vector<std::pair<std::string, std::string>>& place,
                                      std::string_view option);

}  // namespace bench
