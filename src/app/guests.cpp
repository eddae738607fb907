#include "app/guests.h"

#include "common/affinity.h"
#include "common/program_search.h"
#include "vm/guest_programs.h"
#include "vm/vm_executor.h"

namespace bench {
namespace {

/// Some cells of another queue.
class PartOfQueue : public CellQueue {
  public:
    PartOfQueue(CellQueue& whole, bool guests) : whole_(whole) {
        for (std::size_t i = 0; i < whole.size(); ++i) {
            if (is_guest(whole.request(i).place) == guests) {
                cells_.push_back(i);
            }
        }
    }
    [[nodiscard]] std::size_t size() const override { return cells_.size(); }
    [[nodiscard]] CellRequest request(std::size_t index) const override {
        return whole_.request(cells_[index]);
    }
    void started(std::size_t index) override { whole_.started(cells_[index]); }
    [[nodiscard]] bool tick() override { return whole_.tick(); }
    [[nodiscard]] bool ended(std::size_t index, Result<CellExecution> execution) override {
        return whole_.ended(cells_[index], std::move(execution));
    }

  private:
    CellQueue& whole_;
    std::vector<std::size_t> cells_;
};

/// Sends each cell to where it belongs.
class PlaceExecutor : public Executor {
  public:
    PlaceExecutor(Executor& here, std::unique_ptr<VmExecutor> guests)
        : here_(here), guests_(std::move(guests)) {}
    [[nodiscard]] Result<CellExecution> run(const CellRequest& request, const Tick& tick) override {
        return is_guest(request.place) ? guests_->run(request, tick) : here_.run(request, tick);
    }
    /// Not beside each other: guests would disturb what is measured here.
    [[nodiscard]] bool run_all(CellQueue& queue) override {
        PartOfQueue here(queue, false);
        PartOfQueue guests(queue, true);
        return here_.run_all(here) && guests_->run_all(guests);
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
    setup.boots = options.boots_wanted();
    setup.verify = options.verify;
    auto allowed = get_affinity();
    if (!allowed) {
        return allowed.error();
    }
    setup.host_cpus = *allowed;
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
