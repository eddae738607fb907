#include "runner/cell_options.h"

#include "common/bundle.h"
#include "common/options.h"

namespace bench {

CpuSet parse_cpus_option(const std::string& text) {
    auto set = CpuSet::parse(text);
    if (!set) {
        throw CLI::ValidationError("--cpus", set.error().detail);
    }
    if (set->empty()) {
        throw CLI::ValidationError("--cpus",
                                   "'" + text + "' names no CPU: write a list such as 0,2-3");
    }
    return *set;
}

LoadSpec parse_load_option(const std::string& text) {
    auto spec = parse_load(text);
    if (!spec) {
        throw CLI::ValidationError("--load", "'" + text + "': " + spec.error().detail);
    }
    return *spec;
}

void add_shared_cell_options(CLI::App& app, CellOptions& options) {
    add_duration_option(app, "-t,--duration", options.plan.duration,
                        "How long a cell lasts, or until its load ends",
                        std::chrono::milliseconds(1), kLongestCell);
    add_integer_option(app, "--load-count", options.load.copies, "Copies of the load at once", 1,
                       10'000);
    add_choice_option<bool>(
        app, "--load-session", options.load.own_session,
        "Session of the load's processes; a session of its own is another autogroup",
        {{"run", false}, {"own", true}});
    app.add_option("--scheduler", options.scheduler,
                   "Name of the running scheduler, instead of the detected one")
        ->type_name("NAME");
}

void add_exec_options(CLI::App& app, CellOptions& options) {
    add_integer_option(app, "-c,--clients", options.plan.clients, "Clients of the cell", 1,
                       1'000'000);
    app.add_option_function<std::string>(
           "--cpus",
           [&options](const std::string& text) { options.cpus = parse_cpus_option(text); },
           "CPUs that clients, parent and load may use")
        ->type_name("LIST");
    app.add_option_function<std::string>(
           "--load",
           [&options](const std::string& text) { options.load.spec = parse_load_option(text); },
           "What keeps the machine busy")
        ->type_name("LOAD")
        ->default_str("none");
    app.add_option_function<std::string>(
           "--seed",
           [&options](const std::string& text) {
               auto seed = parse_integer(text, 0, std::numeric_limits<std::int64_t>::max());
               if (!seed) {
                   throw CLI::ValidationError("--seed", seed.error().detail);
               }
               options.plan.seed = static_cast<std::uint64_t>(*seed);
           },
           "Seed of waits and data")
        ->type_name("N")
        ->default_str("1");
    add_integer_option(app, "--cell", options.cell, "Number of the cell in its samples", 1,
                       std::numeric_limits<std::int64_t>::max());
    app.add_option("--bundle", options.bundle, "Folder to write, which must not exist yet")
        ->type_name("DIR");
}

Status check_load_options(const LoadOptions& load, bool any_load) {
    if (!any_load && (load.copies != 1 || load.own_session)) {
        return plain_error("", load.copies != 1 ? "--load-count" : "--load-session",
                           "there is no load: give one with --load");
    }
    return {};
}

std::string cell_variant(const CellOptions& options, const Benchmark& benchmark) {
    auto pairs = benchmark.variant();
    if (options.cpus) {
        pairs.emplace_back("cpus", options.cpus->to_list());
    }
    if (options.load.spec.kind != LoadKind::none) {
        pairs.emplace_back("load", options.load.spec.text);
        if (options.load.copies != 1) {
            pairs.emplace_back("load_count", std::to_string(options.load.copies));
        }
        if (options.load.own_session) {
            pairs.emplace_back("load_session", "own");
        }
    }
    return format_variant(std::move(pairs));
}

}  // namespace bench
