#pragma once

#include <string>
#include <vector>

#include "common/metric.h"
#include "common/process_group.h"
#include "latt/options.h"
#include "latt/recording.h"

namespace bench::latt {

/// What latt measures. `work` is left out when there is none.
[[nodiscard]] std::vector<Metric> metrics(const Options& options);
[[nodiscard]] std::vector<TableColumn> table(const Options& options);

/// A recording as series, one per metric, with what makes them doubtful.
struct Figures {
    std::vector<Series> series;
    std::vector<std::string> taints;
};

/// `accounting` has one entry a client, or none when the clients were given up. A wake-up whose
/// client stamp lies before the parent's is counted, not averaged.
[[nodiscard]] Figures make_figures(const Recording& recording, const Options& options,
                                   const std::vector<WorkerAccounting>& accounting);

}  // namespace bench::latt
