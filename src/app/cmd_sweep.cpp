#include <unistd.h>

#include "app/command_line.h"
#include "app/exit_codes.h"
#include "app/sweep.h"
#include "common/log.h"
#include "runner/fitted_table.h"

namespace bench {
namespace {

int run_sweep(const CommandLine& line, const Sweep& sweep) {
    const auto end = sweep.run(line.words);
    if (!end) {
        log_error(end.error().message());
        return kExitMissing;
    }
    const std::string text = sweep.options().json ? run_as_json(*end)
                                                  : run_as_text(*end, sweep.benchmark().table(),
                                                                terminal_width(STDOUT_FILENO));
    return print(text, end->exit_code);
}

}  // namespace

void add_sweep_command(CommandLine& line, std::unique_ptr<Benchmark> made) {
    auto sweep = std::make_shared<Sweep>(std::move(made));
    const std::string name(sweep->benchmark().name());
    CLI::App* command = line.app.add_subcommand(name, std::string(sweep->benchmark().summary()));
    sweep->add_options(*command);
    line.on(
        *command, name, [&line, sweep] { return run_sweep(line, *sweep); },
        [sweep] { return sweep->check(); });
}

}  // namespace bench
