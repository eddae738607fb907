#include <bench_revision.h>
#include <fmt/format.h>

#include "app/command_line.h"
#include "app/exit_codes.h"

namespace bench {

void add_version_command(CommandLine& line) {
    CLI::App* command = line.app.add_subcommand("version", "Show version, revision and compiler");
    line.on(*command, "version", [] {
        return print(fmt::format("bench {} (revision {}, {}, {})\n", BENCH_VERSION, BENCH_REVISION,
                                 BENCH_COMPILER, BENCH_BUILD_TYPE),
                     kExitOk);
    });
}

}  // namespace bench
