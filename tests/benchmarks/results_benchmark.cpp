#include <benchmark/benchmark.h>
#include <fcntl.h>

#include "common/file.h"
#include "common/gzip.h"
#include "common/random.h"
#include "common/samples.h"
#include "common/statistics.h"

namespace {

/// Wake-up latencies as a loaded machine gives them: mostly microseconds, some milliseconds.
bench::Series latencies(std::size_t n) {
    bench::Series series{.metric = {.name = "wakeup",
                                    .unit = "ns",
                                    .better = bench::Better::lower,
                                    .description = {}},
                         .subject = {},
                         .values = {},
                         .clients = {},
                         .at_ns = {}};
    bench::Random random(1);
    for (std::size_t i = 0; i < n; ++i) {
        const bool slow = random.below(100) == 0;
        series.values.push_back(
            static_cast<double>(random.between(1000, slow ? 20'000'000 : 9000)));
        series.clients.push_back(static_cast<std::uint32_t>(i % 25));
        series.at_ns.push_back(static_cast<std::int64_t>(i) * 1000);
    }
    return series;
}

void summarise(benchmark::State& state) {
    const bench::Series series = latencies(static_cast<std::size_t>(state.range(0)));
    for (auto _ : state) {
        benchmark::DoNotOptimize(bench::summarise(series.values));
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(summarise)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void format_samples(benchmark::State& state) {
    const bench::Series series = latencies(static_cast<std::size_t>(state.range(0)));
    std::size_t bytes = 0;
    for (auto _ : state) {
        const auto done = bench::format_samples(1, series, [&bytes](std::string_view text) {
            bytes += text.size();
            return bench::Status();
        });
        benchmark::DoNotOptimize(done.ok());
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(format_samples)->Arg(5'000'000)->Unit(benchmark::kMillisecond);

void compress_samples(benchmark::State& state) {
    const bench::Series series = latencies(static_cast<std::size_t>(state.range(0)));
    auto null = bench::open_file("/dev/null", O_WRONLY);
    for (auto _ : state) {
        bench::GzipWriter gzip(null->get(), "/dev/null");
        auto done = bench::format_samples(
            1, series, [&gzip](std::string_view text) { return gzip.append(text); });
        if (done) {
            done = gzip.finish();
        }
        if (!done) {
            state.SkipWithError(done.error().message().c_str());
        }
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(compress_samples)->Arg(5'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
