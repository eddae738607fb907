#include "app/run_options.h"

#include <algorithm>
#include <ctime>
#include <limits>
#include <random>

#include "common/affinity.h"
#include "common/clock.h"
#include "common/environment.h"
#include "common/options.h"
#include "runner/cell_run.h"

namespace bench {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kMostClients = 1'000'000;

void add_clients_option(CLI::App& app, RunOptions& options) {
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

std::vector<std::string> as_words(const CLI::Option& option) {
    const std::string name = "--" + option.get_lnames().front();
    if (option.get_expected_max() == 0) {
        return {name};
    }
    std::vector<std::string> words;
    for (const std::string& value : option.results()) {
        // An option that may go without its value stands alone again.
        words.push_back(value.empty() && option.get_expected_min() == 0 ? name
                                                                        : name + "=" + value);
    }
    return words;
}

std::uint64_t draw_seed() {
    std::random_device device;
    return (std::uint64_t{device()} << 31U) ^ device();
}

}  // namespace

void add_run_options(CLI::App& app, RunOptions& options, bool has_clients) {
    if (has_clients) {
        add_clients_option(app, options);
    }
    add_integer_option(app, "--warmup", options.warmups, "Launches run before and thrown away", 0,
                       1'000);
    add_integer_option(app, "--seed", options.seed,
                       "Seed of order, waits and data; drawn and recorded when not given", 0,
                       std::numeric_limits<std::int64_t>::max());
    add_place_options(app, options);
}

void add_place_options(CLI::App& app, RunOptions& options) {
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
    app.add_flag("-q,--quiet", options.quiet, "No progress");
    app.add_flag("-v,--verbose", options.verbose, "Say what is run");
}

Result<std::vector<std::int64_t>> client_counts(const RunOptions& options, bool has_clients,
                                                const std::vector<std::string>& cpu_sets) {
    if (!has_clients) {
        return std::vector<std::int64_t>();
    }
    if (options.clients != "auto") {
        return parse_integer_list(options.clients, 1, kMostClients);
    }
    if (cpu_sets.size() > 1) {
        return plain_error("", "--clients",
                           "'auto' is open with several --cpus sets: write the numbers");
    }
    if (!cpu_sets.empty()) {
        return std::vector{static_cast<std::int64_t>(parse_cpus_option(cpu_sets[0]).size())};
    }
    auto allowed = get_affinity();
    if (!allowed) {
        return allowed.error();
    }
    return std::vector{static_cast<std::int64_t>(allowed->size())};
}

std::uint64_t seed_of(const RunOptions& options) {
    return options.seed ? static_cast<std::uint64_t>(*options.seed) : draw_seed() >> 1U;
}

Duration timeout_of(const RunOptions& options, Duration cell) {
    return options.cell_timeout.value_or(cell * 3 + Duration(5min));
}

Json run_header(const RunOptions& options, const std::vector<std::string>& command, Json plan) {
    Json header = {{"tool", tool_identity()},
                   {"command", command},
                   {"created", utc_extended(std::time(nullptr))},
                   {"plan", std::move(plan)}};
    if (!options.label.empty()) {
        header["label"] = options.label;
    }
    return header;
}

std::vector<std::string> given_words(const std::vector<const CLI::Option*>& options) {
    std::vector<std::string> words;
    for (const CLI::Option* option : options) {
        if (option->count() > 0) {
            const auto own = as_words(*option);
            words.insert(words.end(), own.begin(), own.end());
        }
    }
    return words;
}

}  // namespace bench
