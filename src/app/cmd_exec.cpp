#include <fmt/format.h>
#include <sys/prctl.h>

#include "app/bundle_place.h"
#include "app/command_line.h"
#include "app/exit_codes.h"
#include "common/log.h"
#include "runner/cell_axes.h"
#include "runner/cell_run.h"

namespace bench {
namespace {

int exit_code_of(const CellEnd& end) {
    if (end.signal != 0) {
        return 128 + end.signal;
    }
    switch (end.status) {
        case RowStatus::ok:
        case RowStatus::tainted:
            return kExitOk;
        case RowStatus::not_run:
            return kExitMissing;
        case RowStatus::failed:
            break;
    }
    return kExitFailed;
}

/// Where a cell run by hand goes: to a new bundle in a folder, as a sweep's, or to --bundle.
struct ExecPlace {
    std::filesystem::path out = "results";
    const CLI::Option* out_option = nullptr;
};

int exec_cell(const CommandLine& line, Benchmark& benchmark, CellOptions& options,
              const ExecPlace& where) {
    ::prctl(PR_SET_NAME, "bench");  // in a sweep it was started as /proc/self/exe
    const bool by_hand = options.bundle.empty();
    if (by_hand) {
        auto place = choose_bundle_dir(where.out, std::string(benchmark.name()));
        if (!place) {
            log_error(place.error().message());
            return kExitMissing;
        }
        options.bundle = *place;
    }
    auto stop = StopSource::create();
    if (!stop) {
        log_error(stop.error().message());
        return kExitMissing;
    }
    auto end = run_cell(benchmark, options, *stop, line.words, SystemRoot());
    if (!end) {
        log_error(end.error().message());
        return kExitMissing;
    }
    if (!end->reason.empty()) {
        log_error(fmt::format("{}: {}", benchmark.name(), end->reason));
    }
    const int code = exit_code_of(*end);
    return by_hand ? print(options.bundle.string() + "\n", code) : code;
}

}  // namespace

void add_exec_command(CommandLine& line, std::vector<std::unique_ptr<Benchmark>> benchmarks) {
    CLI::App* exec = line.app.add_subcommand("exec", "Run one cell and write its bundle");
    exec->require_subcommand(1);
    for (auto& made : benchmarks) {
        std::shared_ptr<Benchmark> benchmark = std::move(made);
        auto options = std::make_shared<CellOptions>();
        const std::string name(benchmark->name());
        CLI::App* command = exec->add_subcommand(name, std::string(benchmark->summary()));
        add_shared_cell_options(*command, *options);
        add_exec_options(*command, *options, *benchmark);
        auto axes = std::make_shared<const std::vector<CellAxis>>(cell_axes(*benchmark));
        add_axis_options(*command, *axes, *options);
        auto place = std::make_shared<ExecPlace>();
        place->out_option = command->add_option("-o,--out", place->out, "Folder for bundles")
                                ->type_name("DIR")
                                ->default_str("results");
        benchmark->add_options(*command);
        line.on(
            *command, "exec " + name,
            [&line, benchmark, options, place] {
                return exec_cell(line, *benchmark, *options, *place);
            },
            [benchmark, options, place, axes]() -> Status {
                if (place->out_option->count() > 0 && !options->bundle.empty()) {
                    return plain_error("", "--out",
                                       "--bundle names the folder itself: give one of them");
                }
                const auto& load = options->load;
                if (auto sound = check_load_options(load, load.spec.kind != LoadKind::none);
                    !sound) {
                    return sound;
                }
                return check_cell(*options, *benchmark);
            });
    }
}

}  // namespace bench
