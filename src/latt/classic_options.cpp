#include "latt/classic_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include "common/tool_version.h"
#include "common/units.h"
#include "latt/options.h"

namespace bench::latt {
namespace {

constexpr std::int64_t max_clients = 1'000'000;
constexpr std::int64_t max_wait_ms =
    std::chrono::duration_cast<std::chrono::milliseconds>(longest_wait).count();
constexpr auto max_work_kb = static_cast<std::int64_t>(max_work.bytes / 1024U);

Status read_number(char option, const char* text, std::int64_t min, std::int64_t max,
                   std::int64_t& value) {
    const auto parsed = parse_integer(text, min, max);
    if (!parsed) {
        return plain_error(fmt::format("-{}", option), "",
                           fmt::format("'{}' is not a whole number from {} to {}", text, min, max));
    }
    value = *parsed;
    return {};
}

Status read_option(int option, ClassicOptions& options) {
    switch (option) {
        case 'c':
            return read_number('c', optarg, 1, max_clients, options.clients);
        case 's':
            return read_number('s', optarg, 0, max_wait_ms, options.min_wait_ms);
        case 'S':
            return read_number('S', optarg, 0, max_wait_ms, options.max_wait_ms);
        case 'x':
            return read_number('x', optarg, 0, max_work_kb, options.work_kb);
        case 'v':
            options.verbose = true;
            return {};
        case 'V':
            options.action = ClassicOptions::Action::version;
            return {};
        case 'h':
            options.action = ClassicOptions::Action::help;
            return {};
        case ':':
            return plain_error(fmt::format("-{}", static_cast<char>(optopt)), "",
                               "needs a number after it");
        default:
            return plain_error(fmt::format("-{}", static_cast<char>(optopt)), "",
                               "no such option; -h lists them");
    }
}

}  // namespace

Result<ClassicOptions> parse_classic_options(int argc, char** argv) {
    // "--help" too: nobody should have to know which one an old program takes.
    if (argc == 2 && std::string_view(argv[1]) == "--help") {
        ClassicOptions options;
        options.action = ClassicOptions::Action::help;
        return options;
    }
    ClassicOptions options;
    optind = 0;  // glibc: forget an earlier parse
    // '+': the command's own options are not ours; ':': tell a missing value from a bad option.
    for (int option = 0; (option = ::getopt(argc, argv, "+:c:s:S:x:vVh")) != -1;) {
        if (Status read = read_option(option, options); !read) {
            return read.error();
        }
        if (options.action != ClassicOptions::Action::run) {
            return options;
        }
    }
    if (options.min_wait_ms > options.max_wait_ms) {
        return plain_error(
            "-s", "",
            fmt::format("{} ms is longer than -S {} ms", options.min_wait_ms, options.max_wait_ms));
    }
    for (int index = optind; index < argc; ++index) {
        options.command += (index == optind ? "" : " ") + std::string(argv[index]);
    }
    return options;
}

std::string classic_usage() {
    return "Usage: latt [-c clients] [-s min_ms] [-S max_ms] [-x work_kb] [-v] [-V] [-h] "
           "'command args'\n";
}

std::string classic_help() {
    return classic_usage() + R"(
Wakes clients at random times while a command runs, and prints how late they ran and how long
their work took.

  -c N  clients, processes that are woken together (1)
  -s N  shortest wait between two rounds, in milliseconds (100)
  -S N  longest wait between two rounds, in milliseconds (500)
  -x N  random data each client makes and deflates once awake, in KB; 0 for none (64)
  -v    also tell on standard error what each client saw
  -V    print the version
  -h    print this help

The command is run by /bin/sh in a process group of its own in this session. Its standard input is
/dev/null; its output and errors go where latt's own go, before latt's. It need not end by itself:
SIGINT or SIGTERM end it, and what was measured so far is printed.

Exit status: that of the command (128 + signal when one killed it); 130 or 143 after SIGINT or
SIGTERM; 1 when the measuring failed or the output could not be written; 2 when the options are
wrong or no command is given.

Other than in latt 0.1: waits are drawn between -s and -S (not up to their sum), the exit status of
the command is passed on, the number of clients and the length of the command have no limit of
their own, and one entry prints a deviation of 0.
)";
}

std::string classic_version() {
    return fmt::format("latt 0.1 (bench {})\n", tool_version().version);
}

}  // namespace bench::latt
