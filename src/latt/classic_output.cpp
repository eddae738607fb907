#include "latt/classic_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/statistics.h"

namespace bench::latt {
namespace {

using Microseconds = std::vector<double>;

// Whole microseconds; a negative difference says nothing about a latency.
void add(Microseconds& values, std::int64_t difference_ns) {
    if (difference_ns >= 0) {
        const std::int64_t whole_us = difference_ns / 1000;
        values.push_back(static_cast<double>(whole_us));
    }
}

Microseconds wakeups(const Recording& recording) {
    Microseconds values;
    for (const Sample& sample : recording.samples) {
        add(values, sample.woken_ns - sample.sent_ns);
    }
    return values;
}

Microseconds works(const Recording& recording) {
    Microseconds values;
    for (const Sample& sample : recording.samples) {
        add(values, sample.done_ns - sample.woken_ns);
    }
    return values;
}

std::string block(std::string_view title, const Microseconds& values) {
    if (values.empty()) {
        return {};
    }
    // The classic divided by n - 1 = 0 here; scripts want a number.
    const double stdev = sample_stdev(values).value_or(0.0);
    const double stdev_mean = stdev / std::sqrt(static_cast<double>(values.size()));
    return fmt::format(
        "\n{} averages\n"
        "-------------------------------------\n"
        "\tMax\t\t{:8.0f} usec\n"
        "\tAvg\t\t{:8.0f} usec\n"
        "\tStdev\t\t{:8.0f} usec\n"
        "\tStdev mean\t{:8.0f} usec\n",
        title, *std::max_element(values.begin(), values.end()), mean(values).value_or(0.0), stdev,
        stdev_mean);
}

std::string client_line(std::uint32_t client, const Recording& recording) {
    Recording own;
    std::copy_if(recording.samples.begin(), recording.samples.end(),
                 std::back_inserter(own.samples),
                 [client](const Sample& sample) { return sample.client == client; });
    const Microseconds values = wakeups(own);
    if (values.empty()) {
        return fmt::format("client {}: no entries\n", client);
    }
    return fmt::format("client {}: {} entries, wakeup avg {:.0f} usec, max {:.0f} usec\n", client,
                       values.size(), mean(values).value_or(0.0),
                       *std::max_element(values.begin(), values.end()));
}

}  // namespace

std::string classic_report(const ClassicOptions& options, const Recording& recording) {
    const Microseconds wakeup = wakeups(recording);
    std::string text =
        fmt::format("\nParameters: min_wait={}ms, max_wait={}ms, clients={}\nEntries logged: {}\n",
                    options.min_wait_ms, options.max_wait_ms, options.clients, wakeup.size());
    text += block("Wakeup", wakeup);
    if (options.work_kb > 0) {
        text += block("Work", works(recording));
    }
    return text;
}

std::string classic_details(const ClassicOptions& options, const Recording& recording) {
    std::int64_t latest_ns = 0;
    for (const RoundStart& round : recording.rounds) {
        latest_ns = std::max(latest_ns, round.actual_ns - round.planned_ns);
    }
    std::string text = fmt::format("{} rounds, the waker itself at most {} usec late\n",
                                   recording.rounds.size(), latest_ns / 1000);
    for (std::int64_t client = 0; client < options.clients; ++client) {
        text += client_line(static_cast<std::uint32_t>(client), recording);
    }
    return text;
}

}  // namespace bench::latt
