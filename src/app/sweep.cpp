#include "app/sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/guests.h"
#include "app/local_run.h"
#include "common/log.h"
#include "common/options.h"
#include "runner/cell_run.h"
#include "vm/vm_executor.h"

namespace bench {
namespace {

void add_sweep_options(CLI::App& app, SweepOptions& options, const Benchmark& benchmark) {
    add_vm_options(app, options.vm);
    add_axis_options(app, options.known_axes, options.axes);
    add_integer_option(app, "--reps", options.repetitions, "Repetitions of the whole sweep", 1,
                       1'000'000);
    add_choice_option<std::optional<CellOrder>>(
        app, "--order", options.order,
        "Order of the cells (default: random, in virtual time sequential)",
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
    if (options.cell_duration() != options.cell.plan.duration) {
        plan.common_arguments.push_back("--duration=" + format_duration(options.cell_duration()));
    }
    plan.repetitions = options.repetition_count();
    plan.warmups = options.run.warmups;
    // Nothing drifts in virtual time, and in one order each kernel's guest meets the same cells.
    plan.order = options.order.value_or(options.vm.all_virtual() ? CellOrder::sequential
                                                                 : CellOrder::random);
    // In virtual time the same command gives the same bytes: a drawn seed would spoil that.
    const bool repeatable = !options.run.seed && options.vm.all_virtual();
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
            {"duration_ns", options.cell_duration().count()},
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
    std::vector<std::int64_t> factors = {std::max<std::int64_t>(clients, 1),
                                         options.repetition_count()};
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

/// For the name of the bundle's folder: the guests' kernel, or "" when there are several.
std::optional<std::string> place_name(const SweepOptions& options) {
    if (!options.vm.any_guest()) {
        return std::nullopt;
    }
    return options.vm.kernels.size() == 1 ? options.kernels.front().release : std::string();
}

}  // namespace

void Sweep::add_options(CLI::App& command) {
    options_.known_axes = cell_axes(*benchmark_);
    add_sweep_options(command, options_, *benchmark_);
    const std::size_t own = command.get_options().size();
    add_shared_cell_options(command, options_.cell);
    benchmark_->add_options(command);
    const auto all = command.get_options();
    options_.handed_on.assign(all.begin() + static_cast<std::ptrdiff_t>(own), all.end());
    options_.duration = command.get_option("--duration");
}

Status Sweep::check() {
    auto counts = sweep_clients(options_, *benchmark_);
    if (!counts) {
        return counts.error();
    }
    if (auto sound = check_vm_options(options_.vm); !sound) {
        return sound;
    }
    if (options_.repetitions && options_.vm.all_virtual()) {
        return plain_error("", "--reps", "virtual time repeats itself: --vm-seeds takes its place");
    }
    if (auto fits = check_plan_size(std::ssize(*counts), options_); !fits) {
        return fits;
    }
    if (auto sound = check_axes(options_, *benchmark_); !sound) {
        return sound;
    }
    auto kernels = read_kernels(options_.vm);
    if (!kernels) {
        return plain_error("", "--kernel",
                           "'" + kernels.error().object + "': " + kernels.error().detail);
    }
    options_.kernels = std::move(*kernels);
    return {};
}

Result<RunEnd> Sweep::run(const std::vector<std::string>& words) const {
    set_verbose(options_.run.verbose);
    auto plan = make_plan(*benchmark_, options_);
    if (!plan) {
        return plan.error();
    }
    const auto cells = order_cells(*plan);
    const auto fallback = make_fallback(*benchmark_, options_);
    return run_here(options_.run, run_header(options_.run, words, describe_plan(*plan, options_)),
                    {.plan = *plan,
                     .cells = cells,
                     .fallback = fallback,
                     .columns = benchmark_->table(),
                     .timeout = timeout_of(options_.run, options_.cell_duration()),
                     .strict = options_.strict,
                     .kernel = place_name(options_),
                     .executor = [this](Executor& here, StopSource& stop, const Guardian& keeper,
                                        Json& header) {
                         return with_guests(here, options_.vm, options_.kernels, stop, keeper,
                                            header);
                     }});
}

}  // namespace bench
