#include <fmt/format.h>

#include "app/command_line.h"
#include "app/exit_codes.h"
#include "common/tool_version.h"

namespace bench {

void add_version_command(CommandLine& line) {
    CLI::App* command = line.app.add_subcommand("version", "Show version, revision and compiler");
    line.on(*command, "version", [] {
        return print(fmt::format("bench {} (revision {}, {}, {})\n", tool_version().version,
                                 tool_version().revision, tool_version().compiler,
                                 tool_version().build_type),
                     kExitOk);
    });
}

}  // namespace bench
