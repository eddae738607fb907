#include <fmt/format.h>

#include "app/command_line.h"
#include "app/exit_codes.h"
#include "app/registry.h"

namespace bench {
namespace {

std::string list_as_text(const std::vector<std::unique_ptr<Benchmark>>& benchmarks) {
    std::string text;
    for (const auto& benchmark : benchmarks) {
        text += fmt::format("{}  {}\n", benchmark->name(), benchmark->summary());
        for (const Metric& metric : benchmark->metrics()) {
            text += fmt::format("    {:<20} {:<6} {:<7} {}\n", metric.name, metric.unit,
                                better_text(metric.better), metric.description);
        }
    }
    return text;
}

std::string list_as_json(const std::vector<std::unique_ptr<Benchmark>>& benchmarks) {
    Json tests = Json::array();
    for (const auto& benchmark : benchmarks) {
        Json metrics = Json::array();
        for (const Metric& metric : benchmark->metrics()) {
            metrics.push_back({{"name", metric.name},
                               {"unit", metric.unit},
                               {"better", better_text(metric.better)},
                               {"description", metric.description}});
        }
        tests.push_back({{"name", benchmark->name()},
                         {"summary", benchmark->summary()},
                         {"metrics", std::move(metrics)}});
    }
    return json_text(tests);
}

}  // namespace

void add_list_command(CommandLine& line) {
    CLI::App* command = line.app.add_subcommand("list", "List the tests and what each measures");
    auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "As JSON");
    line.on(*command, "list", [json] {
        const auto benchmarks = make_benchmarks();
        return print(*json ? list_as_json(benchmarks) : list_as_text(benchmarks), kExitOk);
    });
}

}  // namespace bench
