#include "vm/vm_executor.h"

#include "common/file.h"
#include "vm/guest_image.h"
#include "vm/guest_round.h"
#include "vm/sha256.h"

namespace bench {
namespace {

/// What virtual time takes the machine for.
std::string cost_model(const GuestMachine& machine) {
    return machine.time == GuestTime::virtual_time
               ? "each instruction takes 2 ns, whatever it is; idle time is skipped; no caches, no "
                 "SMT; several CPUs take turns"
               : "as the host's, through QEMU's translation";
}

/// One cell as a queue.
class SingleCell : public CellQueue {
  public:
    SingleCell(const CellRequest& request, const Executor::Tick& tick)
        : request_(request), tick_(tick) {}
    [[nodiscard]] std::size_t size() const override { return 1; }
    [[nodiscard]] CellRequest request(std::size_t /*index*/) const override { return request_; }
    void started(std::size_t /*index*/) override {}
    [[nodiscard]] bool tick() override { return tick_(); }
    [[nodiscard]] bool ended(std::size_t /*index*/, Result<CellExecution> execution) override {
        execution_ = std::move(execution);
        return true;
    }
    Result<CellExecution> take() { return std::move(execution_); }

  private:
    const CellRequest& request_;
    const Executor::Tick& tick_;
    Result<CellExecution> execution_ = CellExecution{CellConduct::interrupted, 0, {}};
};

}  // namespace

std::string place_value(const std::vector<std::pair<std::string, std::string>>& place,
                        std::string_view option) {
    for (const auto& [name, value] : place) {
        if (name == option) {
            return value;
        }
    }
    return {};
}

Result<std::unique_ptr<VmExecutor>> VmExecutor::create(GuestSetup setup, StopSource& stop,
                                                       const Guardian& keeper) {
    const auto init = read_file(setup.init);
    if (!init) {
        return init.error();
    }
    auto image = make_initramfs({{.path = "init", .content = *init, .executable = true}});
    if (!image) {
        return image.error();
    }
    auto executor = std::unique_ptr<VmExecutor>(new VmExecutor(std::move(setup), stop, keeper));
    executor->init_image_ = std::move(*image);
    executor->init_sha256_ = sha256_hex(*init);
    return executor;
}

Result<CellExecution> VmExecutor::run(const CellRequest& request, const Tick& tick) {
    SingleCell one(request, tick);
    (void)run_all(one);
    return one.take();
}

bool VmExecutor::run_all(CellQueue& queue) {
    return GuestRound(setup_, stop_, keeper_, init_image_, boots_, queue).run();
}

nlohmann::ordered_json VmExecutor::description() const {
    nlohmann::ordered_json machine = nlohmann::ordered_json::object();
    for (const auto& [key, value] : guest_variant(setup_.machine)) {
        machine[key] = value;
    }
    machine["memory"] = format_size(setup_.machine.memory);
    nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
    for (const KernelFile& kernel : setup_.kernels) {
        kernels.push_back({{"given", kernel.given},
                           {"release", kernel.release},
                           {"version", kernel.version},
                           {"sha256", kernel.sha256},
                           {"config_known", !kernel.config.empty()}});
    }
    return {{"qemu", setup_.qemu_version}, {"cost_model", cost_model(setup_.machine)},
            {"accelerator", "tcg"},        {"machine", std::move(machine)},
            {"init_sha256", init_sha256_}, {"kernels", std::move(kernels)}};
}

}  // namespace bench
