#pragma once

#include <string>
#include <vector>

#include "common/clock.h"
#include "common/stop_source.h"
#include "runner/runner.h"

namespace bench {

enum class ProgressStyle {
    bar,    ///< one line of a terminal, redrawn and wiped at the end
    lines,  ///< a line per finished cell
    quiet,  ///< nothing
};

/// The style that fits `fd`: a bar on a terminal that can redraw, else lines.
[[nodiscard]] ProgressStyle progress_style_for(int fd);

/// Shows a run on standard error and stops it when a signal has come.
class Progress : public RunObserver {
  public:
    Progress(ProgressStyle style, std::int64_t cells, std::vector<TableColumn> columns,
             StopSource& stop);
    ~Progress() override;
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void cell_started(const PlannedCell& cell) override;
    bool tick() override;
    void cell_finished(const PlannedCell& cell, const Json& record,
                       const std::vector<SummaryRow>& rows) override;

  private:
    void draw();
    void wipe();

    ProgressStyle style_;
    std::int64_t cells_;
    std::vector<TableColumn> columns_;
    StopSource& stop_;
    TimePoint begin_ = MonotonicClock::now();
    std::int64_t finished_ = 0;
    std::string current_;
    std::string last_;
    bool drawn_ = false;
};

/// The bar's line for a terminal `width` columns wide, without escape sequences; never longer than
/// width - 1.
[[nodiscard]] std::string format_bar(std::int64_t finished, std::int64_t cells, Duration elapsed,
                                     const std::string& current, const std::string& last,
                                     std::size_t width);

}  // namespace bench
