#include <fmt/format.h>

#include "app/command_line.h"
#include "app/exit_codes.h"
#include "common/tool_version.h"

namespace bench {

namespace {

std::string version_text() {
    const ToolVersion& tool = tool_version();
    return fmt::format("bench {} (revision {}, {}, {})", tool.version, tool.revision, tool.compiler,
                       tool.build_type);
}

}  // namespace

void add_version_command(CommandLine& line) {
    CLI::App* command = line.app.add_subcommand("version", "Show version, revision and compiler");
    line.app.set_version_flag("--version", version_text());
    line.on(*command, "version", [] { return print(version_text() + "\n", kExitOk); });
}

}  // namespace bench
