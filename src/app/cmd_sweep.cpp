#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <ctime>
#include <random>

#include "app/bundle_place.h"
#include "app/command_line.h"
#include "app/exit_codes.h"
#include "app/run_report.h"
#include "common/affinity.h"
#include "common/environment.h"
#include "common/guardian.h"
#include "common/log.h"
#include "common/options.h"
#include "common/program_search.h"
#include "common/temporary_folder.h"
#include "runner/cell_axes.h"
#include "runner/cell_run.h"
#include "runner/fitted_table.h"
#include "runner/local_executor.h"
#include "runner/progress.h"
#include "vm/vm_executor.h"
#include "vm/vm_options.h"

namespace bench {
namespace {

using namespace std::chrono_literals;

/// What `bench TEST` is asked for.
struct SweepOptions {
    CellOptions cell;  ///< what every cell shares
    std::string clients = "1";
    std::vector<CellAxis> known_axes;
    std::vector<Axis> axes;
    VmOptions vm;
    std::vector<KernelFile> kernels;  ///< those of vm, read
    std::int64_t repetitions = 1;
    std::int64_t warmups = 0;
    CellOrder order = CellOrder::random;
    std::optional<std::int64_t> seed;
    std::optional<Duration> cell_timeout;
    std::filesystem::path out = "results";
    std::string label;
    bool strict = false, quiet = false, json = false, verbose = false;
    std::vector<const CLI::Option*> handed_on;  ///< options of the cell, passed on as given
};

constexpr std::int64_t kMostClients = 1'000'000;

void add_clients_option(CLI::App& app, SweepOptions& options) {
    app.add_option_function<std::string>(
           "-c,--clients",
           [&options](const std::string& text) {
               if (text != "auto") {
                   auto list = parse_integer_list(text, 1, kMostClients);
                   if (!list) {
                       throw CLI::ValidationError("--clients", list.error().detail);
                   }
               }
               options.clients = text;
           },
           "Client counts: 8, 1,2,4,8, 1..25, 1..25:4, or auto (the CPUs this process may use)")
        ->type_name("LIST")
        ->default_str("1");
}

void add_sweep_options(CLI::App& app, SweepOptions& options, const Benchmark& benchmark) {
    if (benchmark.has_clients()) {
        add_clients_option(app, options);
    }
    add_vm_options(app, options.vm);
    add_axis_options(app, options.known_axes, options.axes);
    add_integer_option(app, "--reps", options.repetitions, "Repetitions of the whole sweep", 1,
                       1'000'000);
    add_integer_option(app, "--warmup", options.warmups, "Launches run before and thrown away", 0,
                       1'000);
    add_choice_option<CellOrder>(
        app, "--order", options.order, "Order of the cells",
        {{"random", CellOrder::random}, {"sequential", CellOrder::sequential}});
    add_integer_option(app, "--seed", options.seed,
                       "Seed of order, waits and data; drawn and recorded when not given", 0,
                       std::numeric_limits<std::int64_t>::max());
    app.add_option_function<std::string>(
           "--cell-timeout",
           [&options](const std::string& text) {
               auto timeout = parse_duration(text);
               if (!timeout || *timeout <= Duration(0)) {
                   throw CLI::ValidationError(
                       "--cell-timeout",
                       timeout ? "'" + text + "' is not more than 0s" : timeout.error().detail);
               }
               options.cell_timeout = std::min<Duration>(*timeout, kLongestCell * 3);
           },
           "Give a cell up after this long (default: three times its duration and 5 minutes)")
        ->type_name("DURATION");
    app.add_option("-o,--out", options.out, "Folder for bundles")
        ->type_name("DIR")
        ->default_str("results");
    app.add_option("--label", options.label, "A name for this run, kept in its bundle")
        ->type_name("TEXT");
    app.add_flag("--strict", options.strict, "Exit 5 when any row could not run");
    app.add_flag("-q,--quiet", options.quiet, "No progress");
    app.add_flag("--json", options.json, "Print the summary as JSON instead of the table");
    app.add_flag("-v,--verbose", options.verbose, "Say what is run");
}

/// The option as words that a cell's command line takes: one for each value.
std::vector<std::string> as_words(const CLI::Option& option) {
    const std::string name = "--" + option.get_lnames().front();
    if (option.get_expected_max() == 0) {
        return {name};
    }
    std::vector<std::string> words;
    for (const std::string& value : option.results()) {
        words.push_back(name + "=" + value);
    }
    return words;
}

/// Empty for a test without clients.
Result<std::vector<std::int64_t>> client_counts(const SweepOptions& options,
                                                const Benchmark& benchmark) {
    if (!benchmark.has_clients()) {
        return std::vector<std::int64_t>();
    }
    if (options.clients != "auto") {
        return parse_integer_list(options.clients, 1, kMostClients);
    }
    if (options.vm.any_guest()) {
        return plain_error("", "--clients", "'auto' is open with guests: write the numbers");
    }
    const auto cpus = std::find_if(options.axes.begin(), options.axes.end(),
                                   [](const Axis& axis) { return axis.option == "--cpus"; });
    if (cpus != options.axes.end()) {
        if (cpus->values.size() > 1) {
            return plain_error("", "--clients",
                               "'auto' is open with several --cpus sets: write the numbers");
        }
        return std::vector{static_cast<std::int64_t>(parse_cpus_option(cpus->values[0]).size())};
    }
    auto allowed = get_affinity();
    if (!allowed) {
        return allowed.error();
    }
    return std::vector{static_cast<std::int64_t>(allowed->size())};
}

std::uint64_t draw_seed() {
    std::random_device device;
    return (std::uint64_t{device()} << 31U) ^ device();
}

Result<Plan> make_plan(const Benchmark& benchmark, const SweepOptions& options) {
    auto clients = client_counts(options, benchmark);
    if (!clients) {
        return clients.error();
    }
    Plan plan;
    plan.test = benchmark.name();
    plan.clients = *clients;
    plan.axes = options.axes;
    plan.places = vm_places(options.vm);
    for (const CLI::Option* option : options.handed_on) {
        if (option->count() > 0) {
            const auto words = as_words(*option);
            plan.common_arguments.insert(plan.common_arguments.end(), words.begin(), words.end());
        }
    }
    plan.repetitions = options.repetitions;
    plan.warmups = options.warmups;
    plan.order = options.order;
    // In virtual time the same command gives the same bytes: a drawn seed would spoil that.
    const bool repeatable =
        options.vm.only_guests() && options.vm.machine.time == GuestTime::virtual_time;
    plan.seed = options.seed ? static_cast<std::uint64_t>(*options.seed)
                : repeatable ? 1
                             : draw_seed() >> 1U;
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

/// Rows of cells that left nothing still say where they should have run.
CellFallback make_fallback(const Benchmark& benchmark, const SweepOptions& options) {
    CellFallback fallback;
    utsname names{};
    if (::uname(&names) == 0) {
        fallback.key.kernel = names.release;
    }
    fallback.key.test = benchmark.name();
    fallback.key.scheduler = options.cell.scheduler.empty()
                                 ? detect_scheduler(SystemRoot(), fallback.key.kernel).name
                                 : options.cell.scheduler;
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
    fallback.metrics = benchmark.metrics();
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

/// Sends each cell to where it belongs.
class PlaceExecutor : public Executor {
  public:
    PlaceExecutor(Executor& here, Executor* guests) : here_(here), guests_(guests) {}
    [[nodiscard]] Result<CellExecution> run(const CellRequest& request, const Tick& tick) override {
        return is_guest(request.place) && guests_ != nullptr ? guests_->run(request, tick)
                                                             : here_.run(request, tick);
    }

  private:
    Executor& here_;
    Executor* guests_;
};

/// nullptr when no cell runs in a guest. An Error: what guests need is not there.
Result<std::unique_ptr<VmExecutor>> make_guests(const SweepOptions& options, StopSource& stop,
                                                const Guardian& keeper) {
    if (!options.vm.any_guest()) {
        return std::unique_ptr<VmExecutor>();
    }
    const auto qemu = find_program(options.vm.qemu);
    if (!qemu) {
        return plain_error("find", options.vm.qemu,
                           "guests need QEMU: install qemu-system-x86, or name it with --qemu");
    }
    GuestSetup setup;
    setup.qemu = *qemu;
    setup.machine = options.vm.machine;
    setup.boot_timeout = options.vm.boot_timeout;
    setup.kernels = options.kernels;
    auto init = find_guest_program();
    if (!init) {
        return init.error();
    }
    setup.init = *init;
    auto version = qemu_version(*qemu, keeper);
    if (!version) {
        return version.error();
    }
    setup.qemu_version = *version;
    return VmExecutor::create(std::move(setup), stop, keeper);
}

int run_sweep(const CommandLine& line, const Benchmark& benchmark, const SweepOptions& options) {
    set_verbose(options.verbose);
    auto plan = make_plan(benchmark, options);
    if (!plan) {
        return fail(plan.error(), kExitUsage);
    }
    Json header = {{"tool", tool_identity()},
                   {"command", line.words},
                   {"created", utc_extended(std::time(nullptr))},
                   {"plan", describe_plan(*plan, options)}};
    if (!options.label.empty()) {
        header["label"] = options.label;
    }
    auto stop = StopSource::create();
    if (!stop) {
        return fail(stop.error(), kExitMissing);
    }
    // Holds nothing but the folder of the cells' bundles: it goes even when this process is killed.
    auto keeper = Guardian::start({.commands = {},
                                   .remove_afterwards = {},
                                   .scratch_prefix = temporary_prefix("bench-run"),
                                   .outlived_by = nullptr});
    if (!keeper) {
        return fail(keeper.error(), kExitMissing);
    }
    auto guests = make_guests(options, *stop, *keeper);
    if (!guests) {
        return fail(guests.error(), kExitMissing);
    }
    if (*guests) {
        header["guests"] = (*guests)->description();
    }
    auto writer = make_bundle(options.out, plan->test, header, place_name(options));
    if (!writer) {
        return fail(writer.error(), kExitMissing);
    }
    LocalExecutor here(*stop, *keeper);
    PlaceExecutor executor(here, guests->get());
    const auto fallback = make_fallback(benchmark, options);
    const Duration timeout =
        options.cell_timeout.value_or(options.cell.plan.duration * 3 + Duration(5min));
    Result<RunCounts> counts = RunCounts{};
    {
        Progress progress(options.quiet ? ProgressStyle::quiet : progress_style_for(STDERR_FILENO),
                          static_cast<std::int64_t>(order_cells(*plan).size()), benchmark.table(),
                          *stop);
        counts = run_plan(*plan, executor, *writer, progress, fallback, keeper->scratch(), timeout);
    }
    const RunEnd end = finish_run(*writer, counts, stop->signal_number(), options.strict);
    const std::string text =
        options.json ? run_as_json(end)
                     : run_as_text(end, benchmark.table(), terminal_width(STDOUT_FILENO));
    return print(text, end.exit_code);
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
            auto counts = client_counts(*options, *benchmark);
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
