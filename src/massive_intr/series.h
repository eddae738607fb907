#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/metric.h"
#include "massive_intr/session.h"

namespace bench::massive_intr {

/// What massive-intr measures.
[[nodiscard]] std::vector<Metric> metrics();
/// The table of 2009, with the fairness indices behind it.
[[nodiscard]] std::vector<TableColumn> table();

/// The loops of each process, by index, as they are, for the whole cell and one by one (subject
/// "0", "1", ...), then how evenly they fell: loops_cv and jain, without a value for a lone
/// process.
[[nodiscard]] std::vector<Series> loop_series(const std::vector<double>& loops);

/// A recording as series, with what makes them doubtful.
struct Figures {
    std::vector<Series> series;
    std::vector<std::string> taints;
};
[[nodiscard]] Figures make_figures(const Recording& recording, Duration work);

/// CPU time that the loops done take at the calibrated speed (`work` each) over the CPU time they
/// took, of all processes: 1 where the CPUs are as fast as while calibrating. Sleeping and starting
/// take CPU time as well, about a thousandth. Absent where the kernel doesn't account for CPU time.
[[nodiscard]] std::optional<double> cpu_speed(const Recording& recording, Duration work);

/// What to say of a speed that is off by more than 5 %: the scheduler has no part in that.
[[nodiscard]] std::optional<std::string> cpu_speed_note(std::optional<double> speed);

/// What speaks against a cell whose kernel has no high-resolution timers: `resolution` as
/// clock_getres(2) tells it of CLOCK_MONOTONIC, which then is a tick. Absent where timers are fine
/// enough for `sleep`.
[[nodiscard]] std::optional<std::string> coarse_timer_taint(Duration resolution, Duration sleep);

/// What to say when processes went on for more than a tenth of the cell's duration after its end:
/// the last piece of work is then a sizeable part of all, and equal counts are no sign of fairness.
[[nodiscard]] std::optional<std::string> overrun_taint(const Recording& recording,
                                                       Duration duration);

}  // namespace bench::massive_intr
