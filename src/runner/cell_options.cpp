#include "runner/cell_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

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
                        "How long a cell lasts (one of latt also ends with its load); in virtual "
                        "time 5s by default",
                        std::chrono::milliseconds(1), kLongestCell);
    add_integer_option(app, "--load-count", options.load.copies, "Copies of the load at once", 1,
                       10'000);
    add_choice_option<bool>(
        app, "--load-session", options.load.own_session,
        "Session of the load's processes; a session of its own is another autogroup",
        {{"run", false}, {"own", true}});
    app.add_option_function<std::string>(
           "--scheduler",
           [&options](const std::string& text) {
               if (text.empty()) {
                   throw CLI::ValidationError("--scheduler", "'' is no name");
               }
               options.scheduler = text;
           },
           "Name of the running scheduler, instead of the detected one")
        ->type_name("NAME");
}

void add_exec_options(CLI::App& app, CellOptions& options, const Benchmark& benchmark) {
    if (benchmark.has_clients()) {
        add_integer_option(app, "-c,--clients", options.plan.clients, "Clients of the cell", 1,
                           1'000'000);
    }
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
    app.add_option_function<std::vector<std::string>>(
           "--variant",
           [&options](const std::vector<std::string>& given) {
               for (const std::string& text : given) {
                   const std::size_t equals = text.find('=');
                   if (equals == 0 || equals == std::string::npos) {
                       throw CLI::ValidationError("--variant", "'" + text + "' is no KEY=VALUE");
                   }
                   options.place_variant.emplace_back(text.substr(0, equals),
                                                      text.substr(equals + 1));
               }
           },
           "Added to the variant column: what is known of the place where the cell runs; may be "
           "repeated")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    app.add_flag("--pause", options.pause,
                 "Have workloads PAUSE now and then: for guests whose CPUs take turns");
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

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

void add_settings(const WorkerSettings& settings, Pairs& pairs) {
    if (settings.policy) {
        pairs.emplace_back("policy", settings.policy->text());
    }
    if (settings.nice) {
        pairs.emplace_back("nice", std::to_string(*settings.nice));
    }
    if (settings.slice) {
        pairs.emplace_back("slice", format_duration(*settings.slice));
    }
    if (settings.uclamp) {
        pairs.emplace_back("uclamp",
                           fmt::format("{}:{}", settings.uclamp->min, settings.uclamp->max));
    }
    if (settings.timer_slack) {
        pairs.emplace_back("timer_slack", format_duration(*settings.timer_slack));
    }
}

void add_switches(const SwitchOptions& switches, Pairs& pairs) {
    if (!switches.scx.empty()) {
        pairs.emplace_back("scx", switches.scx);
    }
    if (switches.autogroup) {
        pairs.emplace_back("autogroup", *switches.autogroup ? "on" : "off");
    }
    for (const auto& [key, value] : switches.sysctls) {
        pairs.emplace_back("sysctl." + key, value);
    }
    if (!switches.sched_features.empty()) {
        auto features = switches.sched_features;
        std::sort(features.begin(), features.end());
        pairs.emplace_back("sched_feature", fmt::format("{}", fmt::join(features, ",")));
    }
}

}  // namespace

std::string cell_variant(const CellOptions& options, const Benchmark& benchmark) {
    auto pairs = benchmark.variant();
    pairs.insert(pairs.end(), options.place_variant.begin(), options.place_variant.end());
    if (options.cpus) {
        pairs.emplace_back("cpus", options.cpus->to_list());
    }
    if (options.pin) {
        pairs.emplace_back("pin", "on");
    }
    add_settings(options.settings, pairs);
    add_switches(options.switches, pairs);
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
