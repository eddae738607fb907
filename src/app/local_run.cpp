#include "app/local_run.h"

#include <sys/utsname.h>
#include <unistd.h>

#include "app/bundle_place.h"
#include "common/environment.h"
#include "common/guardian.h"
#include "common/temporary_folder.h"
#include "runner/local_executor.h"
#include "runner/progress.h"

namespace bench {

CellFallback local_fallback(const Benchmark& benchmark, const CellOptions& options) {
    CellFallback fallback;
    utsname names{};
    if (::uname(&names) == 0) {
        fallback.key.kernel = names.release;
    }
    fallback.key.test = benchmark.name();
    fallback.key.scheduler = options.scheduler.empty()
                                 ? detect_scheduler(SystemRoot(), fallback.key.kernel).name
                                 : options.scheduler;
    fallback.metrics = benchmark.metrics();
    fallback.beside = [&benchmark](const std::vector<SummaryRow>& block) {
        return benchmark.beside(block);
    };
    return fallback;
}

Result<RunEnd> run_here(const RunOptions& options, Json header, const LocalRun& run) {
    auto stop = StopSource::create();
    if (!stop) {
        return stop.error();
    }
    // Holds nothing but the folder of the cells' bundles: it goes even when this process is killed.
    auto keeper = Guardian::start({.commands = {},
                                   .remove_afterwards = {},
                                   .scratch_prefix = temporary_prefix("bench-run"),
                                   .outlived_by = nullptr});
    if (!keeper) {
        return keeper.error();
    }
    LocalExecutor here(*stop, *keeper);
    std::unique_ptr<Executor> other;
    if (run.executor) {
        auto made = run.executor(here, *stop, *keeper, header);
        if (!made) {
            return made.error();
        }
        other = std::move(*made);
    }
    Executor& executor = other ? *other : here;
    auto writer = make_bundle(options.out, run.plan.test, header, run.kernel);
    if (!writer) {
        return writer.error();
    }
    Result<RunCounts> counts = RunCounts{};
    {
        Progress progress(options.quiet ? ProgressStyle::quiet : progress_style_for(STDERR_FILENO),
                          static_cast<std::int64_t>(run.cells.size()), run.columns, *stop);
        GoOn go_on;
        if (run.go_on) {
            go_on = [&](std::int64_t finished) { return run.go_on(*writer, finished); };
        }
        counts = run_cells(run.plan, run.cells, go_on, executor, *writer, progress, run.fallback,
                           keeper->scratch(), run.timeout);
    }
    return finish_run(*writer, counts, stop->signal_number(), run.strict);
}

}  // namespace bench
