// The executable for guest kernels: one cell at a time, no launcher of its own. As a guest's first
// process it is its init.
#include <unistd.h>

#include "app/command_line.h"
#include "app/registry.h"
#include "vm/guest_init.h"

int main(int argc, char** argv) {
    bench::fill_standard_fds();
    if (::getpid() == 1 && argc > 0 && std::string_view(argv[0]) == "/init") {
        bench::run_as_guest_init();
    }
    bench::CommandLine line;
    line.app.require_subcommand(1);
    bench::add_exec_command(line, bench::make_benchmarks());
    bench::add_list_command(line);
    bench::add_version_command(line);
    return bench::run_command_line(line, argc, argv);
}
