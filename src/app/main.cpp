#include "app/command_line.h"
#include "app/registry.h"

int main(int argc, char** argv) {
    bench::fill_standard_fds();
    auto benchmarks = bench::make_benchmarks();
    if (const auto status = bench::run_classic(benchmarks, argc, argv)) {
        return *status;
    }
    bench::CommandLine line;
    line.app.require_subcommand(1);
    for (auto& benchmark : benchmarks) {
        bench::add_sweep_command(line, std::move(benchmark));
    }
    bench::add_exec_command(line, bench::make_benchmarks());
    bench::add_import_command(line, bench::make_benchmarks());
    bench::add_compare_command(line);
    bench::add_bisect_step_command(line);
    bench::add_ab_command(line, bench::make_benchmarks);
    bench::add_list_command(line);
    bench::add_version_command(line);
    return bench::run_command_line(line, argc, argv);
}
