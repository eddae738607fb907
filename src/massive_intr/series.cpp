#include "massive_intr/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/statistics.h"

namespace bench::massive_intr {
namespace {

Metric loops_metric() {
    return {"loops", "1", Better::higher,
            "pieces of work with the sleep after them that a process did; subject: its index"};
}
Metric cv_metric() {
    return {"loops_cv", "ratio", Better::lower,
            "how unequal the loops of the processes are: population standard deviation / mean"};
}
Metric jain_metric() {
    return {"jain", "ratio", Better::higher,
            "Jain's fairness index of the loops: 1 when all are equal, 1/N when one has all"};
}
Metric work_rate_metric() {
    return {"work_rate", "ratio", Better::higher,
            "calibrated CPU seconds of work that all processes did per second of wall time"};
}
Metric cpu_speed_metric() {
    return {"cpu_speed", "ratio", Better::none,
            "CPU time the work takes at the calibrated speed / CPU time it took: below 1 where the "
            "CPUs ran slower than while calibrating"};
}
Metric run_delay_metric() {
    return {"run_delay", "ns", Better::lower,
            "time a process was runnable but waited for a CPU, over the whole cell, one value a "
            "process, from the kernel's schedstat"};
}
Metric oversleep_metric() {
    return {"oversleep", "ns", Better::lower,
            "how much longer than asked a sleep lasted until its process ran again"};
}
Metric cpu_share_metric() {
    return {"cpu_share", "ratio", Better::none,
            "a process's CPU time per wall time, one value a process"};
}
Metric voluntary_metric() {
    return {"ctx_voluntary", "1", Better::none, "a process's voluntary context switches"};
}
Metric involuntary_metric() {
    return {"ctx_involuntary", "1", Better::lower, "a process's involuntary context switches"};
}

Series empty_series(Metric metric, std::string subject = {}) {
    return {.metric = std::move(metric),
            .subject = std::move(subject),
            .values = {},
            .clients = {},
            .at_ns = {}};
}

void add(Series& series, double value, std::uint32_t process) {
    series.values.push_back(value);
    series.clients.push_back(process);
}

Series single(Metric metric, std::optional<double> value) {
    Series series = empty_series(std::move(metric));
    if (value) {
        series.values.push_back(*value);
    }
    return series;
}

double seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

double total_loops(const Recording& recording) {
    double loops = 0;
    for (const ProcessRecord& process : recording) {
        loops += static_cast<double>(process.loops);
    }
    return loops;
}

// Each process by its own end: the last loop of each lies partly behind the cell's.
double work_rate(const Recording& recording, Duration work) {
    double rate = 0;
    for (const ProcessRecord& process : recording) {
        rate += static_cast<double>(process.loops) * seconds(work) / seconds(process.elapsed);
    }
    return rate;
}

void add_sleeps(const Recording& recording, Figures& figures) {
    Series oversleep = empty_series(oversleep_metric());
    std::uint64_t unsampled = 0;
    for (std::uint32_t index = 0; index < recording.size(); ++index) {
        for (const std::int64_t value : recording[index].oversleep_ns) {
            add(oversleep, static_cast<double>(value), index);
        }
        unsampled += recording[index].unsampled;
    }
    if (unsampled > 0) {
        figures.taints.push_back(fmt::format(
            "{} of {} sleeps are not in oversleep: the work took less than half the time asked for",
            unsampled, unsampled + oversleep.values.size()));
    }
    figures.series.push_back(std::move(oversleep));
}

void add_accounting(const Recording& recording, Figures& figures) {
    Series delay = empty_series(run_delay_metric());
    Series share = empty_series(cpu_share_metric());
    Series voluntary = empty_series(voluntary_metric());
    Series involuntary = empty_series(involuntary_metric());
    for (std::uint32_t index = 0; index < recording.size(); ++index) {
        const WorkerAccounting& account = recording[index].accounting;
        if (account.run_delay_ns) {
            add(delay, static_cast<double>(*account.run_delay_ns), index);
        }
        if (account.cpu_time_ns) {
            add(share,
                static_cast<double>(*account.cpu_time_ns) /
                    static_cast<double>(recording[index].elapsed.count()),
                index);
        }
        add(voluntary, static_cast<double>(account.voluntary_switches), index);
        add(involuntary, static_cast<double>(account.involuntary_switches), index);
    }
    for (Series* series : {&delay, &share, &voluntary, &involuntary}) {
        figures.series.push_back(std::move(*series));
    }
}

}  // namespace

std::vector<Metric> metrics() {
    return {loops_metric(),     cv_metric(),         jain_metric(),      work_rate_metric(),
            cpu_speed_metric(), run_delay_metric(),  oversleep_metric(), cpu_share_metric(),
            voluntary_metric(), involuntary_metric()};
}

std::vector<TableColumn> table() {
    return {{.heading = "kernel"},
            {.heading = "scheduler"},
            {.heading = "avg", .metric = "loops", .statistic = Statistic::mean, .decimals = 0},
            {.heading = "min", .metric = "loops", .statistic = Statistic::min, .decimals = 0},
            {.heading = "max", .metric = "loops", .statistic = Statistic::max, .decimals = 0},
            {.heading = "stdev", .metric = "loops", .statistic = Statistic::stdev, .decimals = 1},
            {.heading = "Jain", .metric = "jain", .statistic = Statistic::mean},
            {.heading = "CV", .metric = "loops_cv", .statistic = Statistic::mean}};
}

std::vector<Series> loop_series(const std::vector<double>& loops) {
    std::vector<Series> all;
    Series cell = empty_series(loops_metric());
    for (std::uint32_t index = 0; index < loops.size(); ++index) {
        add(cell, loops[index], index);
    }
    all.push_back(std::move(cell));
    for (std::uint32_t index = 0; index < loops.size(); ++index) {
        Series own = empty_series(loops_metric(), std::to_string(index));
        add(own, loops[index], index);
        all.push_back(std::move(own));
    }
    const bool several = loops.size() > 1;
    all.push_back(single(cv_metric(), several ? population_cv(loops) : std::nullopt));
    all.push_back(single(jain_metric(), several ? jain_index(loops) : std::nullopt));
    return all;
}

Figures make_figures(const Recording& recording, Duration work) {
    std::vector<double> loops;
    loops.reserve(recording.size());
    for (const ProcessRecord& process : recording) {
        loops.push_back(static_cast<double>(process.loops));
    }
    Figures figures;
    figures.series = loop_series(loops);
    figures.series.push_back(single(work_rate_metric(), work_rate(recording, work)));
    figures.series.push_back(single(cpu_speed_metric(), cpu_speed(recording, work)));
    add_sleeps(recording, figures);
    add_accounting(recording, figures);
    return figures;
}

std::optional<double> cpu_speed(const Recording& recording, Duration work) {
    double taken_ns = 0;
    for (const ProcessRecord& process : recording) {
        if (!process.accounting.cpu_time_ns) {
            return std::nullopt;
        }
        taken_ns += static_cast<double>(*process.accounting.cpu_time_ns);
    }
    if (taken_ns <= 0) {
        return std::nullopt;
    }
    return total_loops(recording) * static_cast<double>(work.count()) / taken_ns;
}

std::optional<std::string> cpu_speed_note(std::optional<double> speed) {
    constexpr double kUnremarkable = 0.05;
    if (!speed || std::abs(*speed - 1) <= kUnremarkable) {
        return std::nullopt;
    }
    return fmt::format(
        "the CPUs ran at {:.0f} % of the speed they were calibrated at (another hyperthread, "
        "another "
        "guest of this machine, a changed clock): loops and work_rate are {} for it",
        *speed * 100, *speed < 1 ? "fewer" : "more");
}

std::optional<std::string> overrun_taint(const Recording& recording, Duration duration) {
    Duration longest{};
    for (const ProcessRecord& process : recording) {
        longest = std::max(longest, process.elapsed);
    }
    if (longest - duration <= duration / 10) {
        return std::nullopt;
    }
    return fmt::format(
        "the last process ended after {} instead of {}: too many processes, or too long a work or "
        "sleep, for so short a cell",
        format_duration_human(longest), format_duration(duration));
}

std::optional<std::string> coarse_timer_taint(Duration resolution, Duration sleep) {
    if (resolution < std::chrono::milliseconds(1) && resolution <= sleep) {
        return std::nullopt;
    }
    return fmt::format(
        "no high-resolution timers: the resolution of sleeps is {}, so one of {} lasts up to {}",
        format_duration(resolution), format_duration(sleep), format_duration(resolution + sleep));
}

}  // namespace bench::massive_intr
