#include "app/guests.h"

#include "common/program_search.h"
#include "vm/vm_executor.h"

namespace bench {
namespace {

/// Sends each cell to where it belongs.
class PlaceExecutor : public Executor {
  public:
    PlaceExecutor(Executor& here, std::unique_ptr<VmExecutor> guests)
        : here_(here), guests_(std::move(guests)) {}
    [[nodiscard]] Result<CellExecution> run(const CellRequest& request, const Tick& tick) override {
        return is_guest(request.place) ? guests_->run(request, tick) : here_.run(request, tick);
    }

  private:
    Executor& here_;
    std::unique_ptr<VmExecutor> guests_;
};

}  // namespace

Result<std::unique_ptr<Executor>> with_guests(Executor& here, const VmOptions& options,
                                              const std::vector<KernelFile>& kernels,
                                              StopSource& stop, const Guardian& keeper,
                                              Json& header) {
    if (!options.any_guest()) {
        return std::unique_ptr<Executor>();
    }
    const auto qemu = find_program(options.qemu);
    if (!qemu) {
        return plain_error("find", options.qemu,
                           "guests need QEMU: install qemu-system-x86, or name it with --qemu");
    }
    GuestSetup setup;
    setup.qemu = *qemu;
    setup.machine = options.machine;
    setup.boot_timeout = options.boot_timeout;
    setup.kernels = kernels;
    auto init = find_guest_program();
    if (!init) {
        return init.error();
    }
    setup.init = *init;
    auto version = qemu_version(*qemu, keeper);
    if (!version) {
        return version.error();
    }
    setup.qemu_version = *version;
    auto guests = VmExecutor::create(std::move(setup), stop, keeper);
    if (!guests) {
        return guests.error();
    }
    header["guests"] = (*guests)->description();
    return std::unique_ptr<Executor>(std::make_unique<PlaceExecutor>(here, std::move(*guests)));
}

}  // namespace bench
