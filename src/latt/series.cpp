#include "latt/series.h"

#include <fmt/format.h>

namespace bench::latt {
namespace {

Metric wakeup_metric() {
    return {"wakeup", "ns", Better::lower,
            "from just before a client is woken until it runs, as both sides stamp it"};
}
Metric work_metric() {
    return {"work", "ns", Better::lower,
            "a client's work once awake: fill a buffer with random numbers and deflate it"};
}
Metric wake_late_metric() {
    return {"wake_late", "ns", Better::lower,
            "the waker's own lateness: when a round started, less when it was planned"};
}
Metric run_delay_metric() {
    return {"run_delay", "ns", Better::lower,
            "time a client was runnable but waited for a CPU, over the whole cell, one value a "
            "client, from the kernel's schedstat"};
}
Metric voluntary_metric() {
    return {"ctx_voluntary", "1", Better::none, "a client's voluntary context switches"};
}
Metric involuntary_metric() {
    return {"ctx_involuntary", "1", Better::lower, "a client's involuntary context switches"};
}
Metric rounds_metric() {
    return {"rounds", "1", Better::none, "rounds that were finished"};
}
Metric negative_metric() {
    return {"wakeup_negative", "1", Better::lower,
            "wake-ups whose client stamp lies before the waker's: clocks of CPUs that differ"};
}

void add_value(Series& series, std::int64_t value, std::uint32_t client, std::int64_t at_ns) {
    series.values.push_back(static_cast<double>(value));
    series.clients.push_back(client);
    series.at_ns.push_back(at_ns);
}

void add_total(Series& series, std::uint64_t value, std::uint32_t client) {
    series.values.push_back(static_cast<double>(value));
    series.clients.push_back(client);
}

Series single(Metric metric, std::uint64_t value) {
    Series series{
        .metric = std::move(metric), .subject = {}, .values = {}, .clients = {}, .at_ns = {}};
    series.values.push_back(static_cast<double>(value));
    return series;
}

Series empty_series(Metric metric) {
    return {.metric = std::move(metric), .subject = {}, .values = {}, .clients = {}, .at_ns = {}};
}

void add_samples(const Recording& recording, const Options& options, Figures& figures) {
    Series wakeup = empty_series(wakeup_metric());
    Series work = empty_series(work_metric());
    std::uint64_t negative = 0;
    std::uint64_t negative_work = 0;
    for (const Sample& sample : recording.samples) {
        const std::int64_t latency = sample.woken_ns - sample.sent_ns;
        if (latency < 0) {
            ++negative;
        } else {
            add_value(wakeup, latency, sample.client, sample.sent_ns - recording.start_ns);
        }
        const std::int64_t worked = sample.done_ns - sample.woken_ns;
        if (options.work.bytes > 0 && worked < 0) {
            ++negative_work;
        } else if (options.work.bytes > 0) {
            add_value(work, worked, sample.client, sample.woken_ns - recording.start_ns);
        }
    }
    Series negatives = single(negative_metric(), negative);
    if (recording.samples.empty()) {
        negatives.values.clear();  // not measured, which is not 0
    }
    figures.series.push_back(std::move(wakeup));
    if (options.work.bytes > 0) {
        figures.series.push_back(std::move(work));
    }
    figures.series.push_back(std::move(negatives));
    if (negative > 0) {
        figures.taints.push_back(
            fmt::format("{} of {} wake-ups were seen before they were sent: the clocks of the CPUs "
                        "differ; kept out of wakeup",
                        negative, recording.samples.size()));
    }
    if (negative_work > 0) {
        figures.taints.push_back(fmt::format(
            "{} of {} pieces of work ended before they began: the clocks of the CPUs differ; kept "
            "out of work",
            negative_work, recording.samples.size()));
    }
}

void add_rounds(const Recording& recording, Figures& figures) {
    Series late = empty_series(wake_late_metric());
    for (const RoundStart& round : recording.rounds) {
        late.values.push_back(static_cast<double>(round.actual_ns - round.planned_ns));
        late.at_ns.push_back(round.planned_ns - recording.start_ns);
    }
    figures.series.push_back(std::move(late));
    figures.series.push_back(single(rounds_metric(), recording.rounds.size()));
}

void add_accounting(const std::vector<WorkerAccounting>& accounting, Figures& figures) {
    Series delay = empty_series(run_delay_metric());
    Series voluntary = empty_series(voluntary_metric());
    Series involuntary = empty_series(involuntary_metric());
    for (std::uint32_t client = 0; client < accounting.size(); ++client) {
        const WorkerAccounting& account = accounting[client];
        if (account.run_delay_ns) {
            add_total(delay, *account.run_delay_ns, client);
        }
        add_total(voluntary, account.voluntary_switches, client);
        add_total(involuntary, account.involuntary_switches, client);
    }
    figures.series.push_back(std::move(delay));
    figures.series.push_back(std::move(voluntary));
    figures.series.push_back(std::move(involuntary));
}

}  // namespace

std::vector<Metric> metrics(const Options& options) {
    std::vector<Metric> all{wakeup_metric()};
    if (options.work.bytes > 0) {
        all.push_back(work_metric());
    }
    for (Metric metric : {negative_metric(), wake_late_metric(), rounds_metric(),
                          run_delay_metric(), voluntary_metric(), involuntary_metric()}) {
        all.push_back(std::move(metric));
    }
    return all;
}

std::vector<TableColumn> table(const Options& options) {
    std::vector<TableColumn> columns{
        {"wakeup p50", "wakeup", Statistic::p50}, {"p99", "wakeup", Statistic::p99},
        {"max", "wakeup", Statistic::max},        {"avg", "wakeup", Statistic::mean},
        {"stdev", "wakeup", Statistic::stdev},
    };
    if (options.work.bytes > 0) {
        columns.push_back({"work avg", "work", Statistic::mean});
    }
    columns.push_back({"n", "wakeup", Statistic::count});
    return columns;
}

Figures make_figures(const Recording& recording, const Options& options,
                     const std::vector<WorkerAccounting>& accounting) {
    Figures figures;
    add_samples(recording, options, figures);
    add_rounds(recording, figures);
    add_accounting(accounting, figures);
    return figures;
}

}  // namespace bench::latt
