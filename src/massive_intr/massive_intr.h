#pragma once

#include <memory>
#include <optional>

#include "common/benchmark.h"
#include "massive_intr/calibration.h"
#include "massive_intr/options.h"
#include "massive_intr/session.h"

namespace bench::massive_intr {

/// Of CLOCK_MONOTONIC, as clock_getres(2) tells: 1 ns, or a tick without high-resolution timers.
[[nodiscard]] Duration timer_resolution();

/// What a session needs to know of the options, without loops: those come from a calibration.
[[nodiscard]] SessionPlan session_plan(const Options& options, std::int64_t processes,
                                       Duration duration);

/// Whether the machine lets a session run: processes, memory. An Error names the limit, the need
/// and the cure.
[[nodiscard]] Status check_requirements(const SessionPlan& plan, const SystemRoot& system);

/// The benchmark `massive-intr`: N processes that work 8 ms and sleep 1 ms, and how evenly they get
/// on.
class MassiveIntr final : public Benchmark {
  public:
    /// Only tests give another resolution.
    explicit MassiveIntr(Duration (*resolution)() = timer_resolution) : resolution_(resolution) {}

    [[nodiscard]] std::string_view name() const override { return "massive-intr"; }
    [[nodiscard]] std::string_view summary() const override;
    void add_options(CLI::App& app) override;
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> variant() const override;
    [[nodiscard]] std::vector<Metric> metrics() const override;
    [[nodiscard]] std::vector<TableColumn> table() const override;
    [[nodiscard]] Status check_requirements(const CellPlan& plan,
                                            const SystemRoot& system) const override;
    /// Calibrates, unless --loops-per-ms tells.
    [[nodiscard]] Status prepare(const CellPlan& plan, const SystemRoot& system,
                                 StopSource& stop) override;
    /// Calibrates first when prepare() was not called. The cell's time starts when the processes
    /// are let go: the stop's deadline is set anew.
    [[nodiscard]] Result<CellOutcome> run(const CellContext& context) override;
    [[nodiscard]] std::string_view classic_name() const override { return "massive_intr"; }
    [[nodiscard]] int classic_main(int argc, char** argv) override;
    [[nodiscard]] bool can_import() const override { return true; }
    [[nodiscard]] Result<ImportedCell> import_classic(std::string_view text) const override;

  private:
    Options options_;
    std::optional<Calibration> calibration_;
    Duration (*resolution_)();
};

[[nodiscard]] std::unique_ptr<Benchmark> make_benchmark();

}  // namespace bench::massive_intr
