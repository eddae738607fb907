#pragma once

#include <memory>

#include "common/benchmark.h"
#include "latt/options.h"
#include "latt/workload.h"

namespace bench::latt {

/// The benchmark `latt`: wake-up latency and work of clients while a load runs.
class Latt final : public Benchmark {
  public:
    /// `work` is what clients do; only tests give another.
    explicit Latt(WorkFunction work = compress_random) : work_(work) {}

    [[nodiscard]] std::string_view name() const override { return "latt"; }
    [[nodiscard]] std::string_view summary() const override;
    void add_options(CLI::App& app) override;
    [[nodiscard]] Status check_options() const override;
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> variant() const override;
    [[nodiscard]] std::vector<Metric> metrics() const override;
    [[nodiscard]] std::vector<TableColumn> table() const override;
    [[nodiscard]] Status check_requirements(const CellPlan& plan,
                                            const SystemRoot& system) const override;
    /// The cell's time starts when the clients are let go, so that starting them does not eat it:
    /// the stop's deadline is set anew.
    [[nodiscard]] Result<CellOutcome> run(const CellContext& context) override;
    [[nodiscard]] std::string_view classic_name() const override { return "latt"; }
    [[nodiscard]] int classic_main(int argc, char** argv) override;
    [[nodiscard]] bool can_import() const override { return true; }
    [[nodiscard]] Result<ImportedCell> import_classic(std::string_view text) const override;

  private:
    Options options_;
    WorkFunction work_;
};

[[nodiscard]] std::unique_ptr<Benchmark> make_benchmark();

}  // namespace bench::latt
