#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/run_options.h"
#include "app/run_report.h"
#include "common/benchmark.h"
#include "runner/cell_axes.h"
#include "vm/kernel_file.h"
#include "vm/vm_options.h"

namespace bench {

/// What a sweep of one test is asked for.
struct SweepOptions {
    RunOptions run;
    CellOptions cell;  ///< what every cell shares
    std::vector<CellAxis> known_axes;
    std::vector<Axis> axes;
    VmOptions vm;
    std::vector<KernelFile> kernels;          ///< those of vm, read
    std::optional<std::int64_t> repetitions;  ///< as asked for
    std::optional<CellOrder> order;
    bool strict = false, json = false;
    std::vector<const CLI::Option*> handed_on;  ///< options of the cell, passed on as given
    const CLI::Option* duration = nullptr;      ///< one of them

    /// In virtual time seeds take the place of repetitions.
    [[nodiscard]] std::int64_t repetition_count() const {
        return vm.all_virtual() ? vm.seed_count() : repetitions.value_or(1);
    }
    [[nodiscard]] Duration cell_duration() const {
        return vm.all_virtual() && duration->count() == 0 ? kVirtualDuration : cell.plan.duration;
    }
};

/// A sweep of one test over its axes: from options to a bundle.
class Sweep {
  public:
    explicit Sweep(std::shared_ptr<Benchmark> benchmark) : benchmark_(std::move(benchmark)) {}

    /// Bad values throw CLI::ValidationError. This object must outlive the parsing.
    void add_options(CLI::App& command);
    /// Refuses what can't hold together (an Error with object = option), and reads the kernels.
    [[nodiscard]] Status check();
    /// Measures. `words` is the command for the bundle. An Error: nothing was run.
    [[nodiscard]] Result<RunEnd> run(const std::vector<std::string>& words) const;

    [[nodiscard]] const SweepOptions& options() const { return options_; }
    [[nodiscard]] SweepOptions& options() { return options_; }
    [[nodiscard]] const Benchmark& benchmark() const { return *benchmark_; }

  private:
    std::shared_ptr<Benchmark> benchmark_;
    SweepOptions options_;
};

}  // namespace bench
