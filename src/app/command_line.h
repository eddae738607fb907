#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/benchmark.h"

namespace bench {

/// The command line under construction: subcommands add their options and, when chosen, leave what
/// shall be done.
struct CommandLine {
    CLI::App app{"Benchmark of the Linux CPU scheduler", "bench"};
    std::vector<std::string> words;  ///< as called, for the bundle
    std::function<int()> action;
    std::string chosen;                      ///< "latt", "exec latt": for messages
    std::map<std::string, int> usage_exits;  ///< of commands for which wrong usage is not 2

    /// Lets `body` run when `command` was chosen; `check` refuses options that can't hold together.
    void on(CLI::App& command, std::string name, std::function<int()> body,
            std::function<Status()> check = {});
};

/// Fills the places of standard input, output and error that the caller had closed, so that no file
/// of ours gets the number of one and is written to, or closed, as if it were it. To be called
/// before anything is opened; using them fails as before.
void fill_standard_fds();

/// Parses and runs. One line on standard error and exit 2 (or its usage_exits) for what can't be
/// understood.
[[nodiscard]] int run_command_line(CommandLine& line, int argc, char** argv);

/// Joins an option and a negative number behind it ("-c -1"), which otherwise would look like
/// another option.
[[nodiscard]] std::vector<std::string> join_negative_values(std::vector<std::string> words);

/// What is wrong with a command line, in one line that begins with the option.
[[nodiscard]] std::string one_line(const CLI::ParseError& error);

/// The name after the last '/' when the program was called through a classic link; runs that
/// personality. nullopt: no.
[[nodiscard]] std::optional<int> run_classic(std::vector<std::unique_ptr<Benchmark>>& benchmarks,
                                             int argc, char** argv);

/// One set-up per subcommand.
void add_sweep_command(CommandLine& line, std::unique_ptr<Benchmark> benchmark);
void add_exec_command(CommandLine& line, std::vector<std::unique_ptr<Benchmark>> benchmarks);
void add_import_command(CommandLine& line, std::vector<std::unique_ptr<Benchmark>> benchmarks);
void add_compare_command(CommandLine& line);
void add_bisect_step_command(CommandLine& line);
/// Makes every test anew: each side of a comparison has its own.
using MakeBenchmarks = std::vector<std::unique_ptr<Benchmark>> (*)();
void add_ab_command(CommandLine& line, MakeBenchmarks make);
void add_list_command(CommandLine& line);
void add_version_command(CommandLine& line);

/// What standard output is for: all of it, or an exit code. EPIPE says nothing (the reader left),
/// other failures one line.
[[nodiscard]] int print(const std::string& text, int exit_code);

}  // namespace bench
