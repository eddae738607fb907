#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "app/command_line.h"
#include "app/exit_codes.h"
#include "app/guests.h"
#include "app/local_run.h"
#include "app/run_options.h"
#include "app/run_report.h"
#include "common/log.h"
#include "common/options.h"
#include "runner/cell_axes.h"
#include "runner/cell_run.h"
#include "runner/fitted_table.h"
#include "vm/vm_executor.h"
#include "vm/vm_options.h"

namespace bench {
namespace {

/// What `bench TEST` is asked for.
struct SweepOptions {
    RunOptions run;
    CellOptions cell;  ///< what every cell shares
    std::vector<CellAxis> known_axes;
    std::vector<Axis> axes;
    VmOptions vm;
    std::vector<KernelFile> kernels;  ///< those of vm, read
    std::int64_t repetitions = 1;
    CellOrder order = CellOrder::random;
    bool strict = false, json = false;
    std::vector<const CLI::Option*> handed_on;  ///< options of the cell, passed on as given
};

void add_sweep_options(CLI::App& app, SweepOptions& options, const Benchmark& benchmark) {
    add_vm_options(app, options.vm);
    add_axis_options(app, options.known_axes, options.axes);
    add_integer_option(app, "--reps", options.repetitions, "Repetitions of the whole sweep", 1,
                       1'000'000);
    add_choice_option<CellOrder>(
        app, "--order", options.order, "Order of the cells",
        {{"random", CellOrder::random}, {"sequential", CellOrder::sequential}});
    add_run_options(app, options.run, benchmark.has_clients());
    app.add_flag("--strict", options.strict, "Exit 5 when any row could not run");
    app.add_flag("--json", options.json, "Print the summary as JSON instead of the table");
}

Result<std::vector<std::int64_t>> sweep_clients(const SweepOptions& options,
                                                const Benchmark& benchmark) {
    if (options.run.clients == "auto" && options.vm.any_guest()) {
        return plain_error("", "--clients", "'auto' is open with guests: write the numbers");
    }
    const auto cpus = std::find_if(options.axes.begin(), options.axes.end(),
                                   [](const Axis& axis) { return axis.option == "--cpus"; });
    return client_counts(options.run, benchmark.has_clients(),
                         cpus == options.axes.end() ? std::vector<std::string>() : cpus->values);
}

Result<Plan> make_plan(const Benchmark& benchmark, const SweepOptions& options) {
    auto clients = sweep_clients(options, benchmark);
    if (!clients) {
        return clients.error();
    }
    Plan plan;
    plan.test = benchmark.name();
    plan.clients = *clients;
    plan.axes = options.axes;
    plan.places = vm_places(options.vm);
    plan.common_arguments = given_words(options.handed_on);
    plan.repetitions = options.repetitions;
    plan.warmups = options.run.warmups;
    plan.order = options.order;
    // In virtual time the same command gives the same bytes: a drawn seed would spoil that.
    const bool repeatable = !options.run.seed && options.vm.only_guests() &&
                            options.vm.machine.time == GuestTime::virtual_time;
    plan.seed = repeatable ? 1 : seed_of(options.run);
    return plan;
}

Json describe_plan(const Plan& plan, const SweepOptions& options) {
    Json axes = Json::object();
    for (const Axis& axis : plan.axes) {
        axes[axis.option.substr(2)] = axis.values;
    }
    for (const Axis& place : plan.places) {
        axes[place.option.substr(2)] = place.values;
    }
    return {{"test", plan.test},
            {"clients", plan.clients},
            {"axes", std::move(axes)},
            {"arguments", plan.common_arguments},
            {"duration_ns", options.cell.plan.duration.count()},
            {"repetitions", plan.repetitions},
            {"warmups", plan.warmups},
            {"order", plan.order == CellOrder::random ? "random" : "sequential"},
            {"seed", plan.seed},
            {"cells", order_cells(plan).size()}};
}

CellFallback make_fallback(const Benchmark& benchmark, const SweepOptions& options) {
    CellFallback fallback = local_fallback(benchmark, options.cell);
    fallback.variant = [&benchmark, &options](const PlannedCell& cell) {
        CellOptions asked = with_settings(options.known_axes, options.cell, cell.settings);
        if (is_guest(cell.place)) {
            GuestMachine machine = options.vm.machine;
            machine.append = place_value(cell.place, "--append");
            asked.place_variant = guest_variant(machine);
        }
        return cell_variant(asked, benchmark);
    };
    fallback.place = [&options](const PlannedCell& cell, CellKey& key) {
        if (!is_guest(cell.place)) {
            return;
        }
        const std::string given = place_value(cell.place, "--kernel");
        for (const KernelFile& kernel : options.kernels) {
            if (kernel.given == given) {
                key.kernel = kernel.release;
            }
        }
        key.scheduler = options.cell.scheduler;  // nobody has looked into the guest
    };
    return fallback;
}

/// What can't hold together; load options without a load do nothing.
Status check_axes(const SweepOptions& options, const Benchmark& benchmark) {
    if (auto sound = check_combinations(options.known_axes, options.cell, options.axes, benchmark);
        !sound) {
        return sound;
    }
    bool any_load = false;
    for (const Axis& axis : options.axes) {
        for (const auto& text : axis.values) {
            any_load |= axis.option == "--load" && parse_load_option(text).kind != LoadKind::none;
        }
    }
    return check_load_options(options.cell.load, any_load);
}

/// A mistyped range or number of repetitions is refused, not held in memory.
Status check_plan_size(std::int64_t clients, const SweepOptions& options) {
    constexpr std::int64_t kMostCells = 1'000'000;
    std::vector<std::int64_t> factors = {std::max<std::int64_t>(clients, 1), options.repetitions};
    for (const Axis& axis : options.axes) {
        factors.push_back(std::ssize(axis.values));
    }
    for (const Axis& place : vm_places(options.vm)) {
        factors.push_back(std::ssize(place.values));
    }
    std::int64_t cells = 1;
    for (const std::int64_t factor : factors) {
        if (factor > kMostCells / cells) {
            return plain_error("", "--reps",
                               fmt::format("client counts x values of the axes x repetitions are "
                                           "more than {} cells",
                                           kMostCells));
        }
        cells *= factor;
    }
    return {};
}

int fail(const Error& error, int code) {
    log_error(error.message());
    return code;
}

/// For the name of the bundle's folder: the guests' kernel, or "" when there are several.
std::optional<std::string> place_name(const SweepOptions& options) {
    if (!options.vm.any_guest()) {
        return std::nullopt;
    }
    return options.vm.kernels.size() == 1 ? options.kernels.front().release : std::string();
}

int run_sweep(const CommandLine& line, const Benchmark& benchmark, const SweepOptions& options) {
    set_verbose(options.run.verbose);
    auto plan = make_plan(benchmark, options);
    if (!plan) {
        return fail(plan.error(), kExitUsage);
    }
    const auto cells = order_cells(*plan);
    const auto fallback = make_fallback(benchmark, options);
    const auto end =
        run_here(options.run, run_header(options.run, line.words, describe_plan(*plan, options)),
                 {.plan = *plan,
                  .cells = cells,
                  .fallback = fallback,
                  .columns = benchmark.table(),
                  .timeout = timeout_of(options.run, options.cell.plan.duration),
                  .strict = options.strict,
                  .kernel = place_name(options),
                  .executor = [&options](Executor& here, StopSource& stop, const Guardian& keeper,
                                         Json& header) {
                      return with_guests(here, options.vm, options.kernels, stop, keeper, header);
                  }});
    if (!end) {
        return fail(end.error(), kExitMissing);
    }
    const std::string text =
        options.json ? run_as_json(*end)
                     : run_as_text(*end, benchmark.table(), terminal_width(STDOUT_FILENO));
    return print(text, end->exit_code);
}

}  // namespace

void add_sweep_command(CommandLine& line, std::unique_ptr<Benchmark> made) {
    std::shared_ptr<Benchmark> benchmark = std::move(made);
    auto options = std::make_shared<SweepOptions>();
    const std::string name(benchmark->name());
    CLI::App* command = line.app.add_subcommand(name, std::string(benchmark->summary()));
    options->known_axes = cell_axes(*benchmark);
    add_sweep_options(*command, *options, *benchmark);
    const std::size_t own = command->get_options().size();
    add_shared_cell_options(*command, options->cell);
    benchmark->add_options(*command);
    const auto all = command->get_options();
    options->handed_on.assign(all.begin() + static_cast<std::ptrdiff_t>(own), all.end());
    line.on(
        *command, name,
        [&line, benchmark, options] { return run_sweep(line, *benchmark, *options); },
        [benchmark, options]() -> Status {
            auto counts = sweep_clients(*options, *benchmark);
            if (!counts) {
                return counts.error();
            }
            if (auto fits = check_plan_size(std::ssize(*counts), *options); !fits) {
                return fits;
            }
            if (auto sound = check_vm_options(options->vm); !sound) {
                return sound;
            }
            if (auto sound = check_axes(*options, *benchmark); !sound) {
                return sound;
            }
            auto kernels = read_kernels(options->vm);
            if (!kernels) {
                return plain_error("", "--kernel",
                                   "'" + kernels.error().object + "': " + kernels.error().detail);
            }
            options->kernels = std::move(*kernels);
            return {};
        });
}

}  // namespace bench
