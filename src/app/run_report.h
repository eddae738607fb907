#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/bundle.h"
#include "common/metric.h"
#include "runner/runner.h"

namespace bench {

/// How a run ended, for its last lines and its exit status.
struct RunEnd {
    std::string folder;  ///< of the bundle
    RunCounts counts;
    std::string status;  ///< "complete", "incomplete"
    std::string reason;  ///< why incomplete
    int exit_code = 0;
    std::optional<Bundle> bundle;  ///< as read back from disk; absent when it can't be read
};

/// Closes the bundle and reads it back; `counts` is an Error when it could not be written to the
/// end.
[[nodiscard]] RunEnd finish_run(BundleWriter& writer, const Result<RunCounts>& counts,
                                int signal_number, bool strict);

/// Title, table, notes and where the bundle is; the last line counts rows that are not-run or
/// failed, if any. `width`: of the terminal it is for, as in format_fitted_table().
[[nodiscard]] std::string run_as_text(const RunEnd& end, const std::vector<TableColumn>& columns,
                                      std::optional<std::size_t> width = {});

/// One JSON object with the bundle's folder, status, counts and every row of the summary; absent
/// figures are null.
[[nodiscard]] std::string run_as_json(const RunEnd& end);

}  // namespace bench
