// The median wake-up through each channel, side by side. Its time per iteration is a round's, wait
// included; the counter is what to look at.
#include <benchmark/benchmark.h>

#include "common/statistics.h"
#include "latt/session.h"

namespace {

using namespace std::chrono_literals;
using bench::latt::Session;
using bench::latt::WakeKind;

void wakeup(benchmark::State& state, WakeKind wake, bool threads) {
    auto stop = bench::StopSource::create();
    if (!stop) {
        state.SkipWithError(stop.error().message().c_str());
        return;
    }
    Session::Plan plan;
    plan.options.wake = wake;
    plan.options.threads = threads;
    plan.options.min_wait = 1ms;
    plan.options.max_wait = 3ms;
    plan.options.work = bench::ByteSize{0};
    std::vector<double> latencies;
    for (auto _ : state) {
        plan.max_rounds = 200;
        auto session = Session::start(plan, *stop, bench::SystemRoot());
        if (!session) {
            state.SkipWithError(session.error().message().c_str());
            return;
        }
        if (const auto run = (*session)->run(); !run) {
            state.SkipWithError(run.error().message().c_str());
            return;
        }
        for (const auto& sample : (*session)->recording().samples) {
            latencies.push_back(static_cast<double>(sample.woken_ns - sample.sent_ns));
        }
    }
    const bench::Summary summary = bench::summarise(latencies);
    state.counters["p50_ns"] = summary.p50.value_or(0);
    state.counters["p99_ns"] = summary.p99.value_or(0);
    state.counters["n"] = static_cast<double>(summary.count);
}

BENCHMARK_CAPTURE(wakeup, pipe, WakeKind::pipe, false)->Iterations(5)->UseRealTime();
BENCHMARK_CAPTURE(wakeup, eventfd, WakeKind::eventfd, false)->Iterations(5)->UseRealTime();
BENCHMARK_CAPTURE(wakeup, futex, WakeKind::futex, false)->Iterations(5)->UseRealTime();
BENCHMARK_CAPTURE(wakeup, pipe_threads, WakeKind::pipe, true)->Iterations(5)->UseRealTime();
BENCHMARK_CAPTURE(wakeup, eventfd_threads, WakeKind::eventfd, true)->Iterations(5)->UseRealTime();
BENCHMARK_CAPTURE(wakeup, futex_threads, WakeKind::futex, true)->Iterations(5)->UseRealTime();

}  // namespace
