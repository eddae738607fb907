#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "common/benchmark.h"
#include "fairuser/options.h"
#include "fairuser/session.h"

namespace bench::fairuser {

/// The benchmark `fairuser`: users who compete, what each gets, and one number for how fair that
/// is.
class FairUser final : public Benchmark {
  public:
    [[nodiscard]] std::string_view name() const override { return "fairuser"; }
    [[nodiscard]] std::string_view summary() const override;
    void add_options(CLI::App& app) override;
    [[nodiscard]] std::vector<BenchmarkAxis> axes() override;
    [[nodiscard]] bool has_clients() const override { return false; }
    [[nodiscard]] Status check_options() const override;
    [[nodiscard]] Status check_settings(const WorkerSettings& settings, bool pin) const override;
    [[nodiscard]] bool has_duration() const override;
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> variant() const override;
    [[nodiscard]] std::vector<Metric> metrics() const override;
    [[nodiscard]] std::vector<TableColumn> table() const override;
    [[nodiscard]] Status check_requirements(const CellPlan& plan,
                                            const SystemRoot& system) const override;
    /// Users, groups, folders and source trees.
    [[nodiscard]] Status prepare(const CellPlan& plan, const SystemRoot& system,
                                 StopSource& stop) override;
    /// Each user alone first when --solo asks for it, then all together.
    [[nodiscard]] Result<CellOutcome> run(const CellContext& context) override;
    /// The ungrouped cell is the reference of the others' efficiency.
    [[nodiscard]] std::vector<LateFigures> beside(
        const std::vector<SummaryRow>& block) const override;
    [[nodiscard]] bool can_import() const override { return true; }
    [[nodiscard]] Result<ImportedCell> import_classic(std::string_view text) const override;

  private:
    struct Prepared;
    [[nodiscard]] Result<Competitor> make_competitor(std::size_t index, const std::string& session,
                                                     StopSource& stop);
    [[nodiscard]] Status check_folders() const;
    [[nodiscard]] Status make_groups(const SystemRoot& system);
    [[nodiscard]] Result<std::int64_t> count_cpus() const;
    [[nodiscard]] Json describe(const SessionRecord& record, const std::vector<SessionRecord>& solo,
                                std::int64_t cpus) const;

    Options options_;
    std::shared_ptr<Prepared> prepared_;
};

[[nodiscard]] std::unique_ptr<Benchmark> make_benchmark();

}  // namespace bench::fairuser
