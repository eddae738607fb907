#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/bundle.h"
#include "common/fairness.h"
#include "common/metric.h"
#include "fairuser/efficiency.h"
#include "fairuser/options.h"
#include "fairuser/session.h"

namespace bench::fairuser {

/// What fairuser measures: per user (the subject) and for the cell.
[[nodiscard]] std::vector<Metric> metrics();
[[nodiscard]] Metric metric(std::string_view name);
/// The table of 2007, with the fairness number and its parts behind it.
[[nodiscard]] std::vector<TableColumn> table();

/// One value, or none, of a metric.
[[nodiscard]] Series single(std::string_view metric, std::string subject,
                            std::optional<double> value);

/// One session as series. `solo`: by user, empty without solo runs. An Error: no user got any CPU
/// time that could be measured.
struct Figures {
    std::vector<Series> series;
    Fairness fairness;
};
[[nodiscard]] Result<Figures> make_figures(const Options& options, const SessionRecord& record,
                                           const std::vector<SessionRecord>& solo,
                                           std::int64_t cpus);

/// What speaks against an efficiency of work that wants nothing but CPUs: far above 1, its
/// `reference` ("the solo runs") had less of the machine than the users had together, and is none.
[[nodiscard]] std::optional<std::string> efficiency_taint(std::optional<double> efficiency,
                                                          std::string_view reference);

/// In words, for run.json: what a user is expected to get and why.
[[nodiscard]] std::string share_model(std::int64_t cpus);

}  // namespace bench::fairuser
