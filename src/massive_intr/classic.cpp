#include "massive_intr/classic.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "common/syscalls.h"
#include "common/tool_version.h"
#include "massive_intr/calibration.h"
#include "massive_intr/massive_intr.h"

namespace bench::massive_intr {
namespace {

constexpr int exit_failure = 1;
constexpr int exit_usage = 2;
constexpr std::int64_t max_processes = 1'000'000;
constexpr std::int64_t max_seconds = std::int64_t{365} * 24 * 3600;

constexpr std::string_view usage = "Usage: massive_intr NPROC RUNTIME\n";
constexpr std::string_view help = R"(
Starts NPROC processes that each work 8 ms and sleep 1 ms, over and over, for RUNTIME seconds, and
prints how often each of them got round: a line "pid TAB loops" per process, in order of finish.
A high average is good throughput, a low deviation good fairness.

  -h, --help  print this help
  --version   print the version

Exit status: 0 when all went well; 1 when a process died, the speed of the CPU did not settle or the
output could not be written; 2 when the arguments are wrong; 130 or 143 after SIGINT or SIGTERM.

Other than in the classic program: no signal reaches the caller's process group, the run ends on a
clock of nanoseconds, not whole seconds, and there is no cap at 1024 processes.
)";

struct ClassicArguments {
    std::int64_t processes = 1;
    std::int64_t seconds = 1;
};

void complain(std::string_view text) {
    const std::string line = fmt::format("massive_intr: {}\n", text);
    (void)write_all(STDERR_FILENO, line.data(), line.size());
}

int print(std::string_view text) {
    if (write_all(STDOUT_FILENO, text.data(), text.size())) {
        return 0;
    }
    complain(errno_error("write", "standard output").message());
    return exit_failure;
}

Result<std::int64_t> read_number(std::string_view name, const char* text, std::int64_t max) {
    auto parsed = parse_integer(text, 1, max);
    if (!parsed) {
        return plain_error(std::string(name), "",
                           fmt::format("'{}' is not a whole number from 1 to {}", text, max));
    }
    return parsed;
}

Result<ClassicArguments> read_arguments(char** argv) {
    const auto processes = read_number("NPROC", argv[1], max_processes);
    if (!processes) {
        return processes.error();
    }
    const auto seconds = read_number("RUNTIME", argv[2], max_seconds);
    if (!seconds) {
        return seconds.error();
    }
    return ClassicArguments{*processes, *seconds};
}

Result<Recording> measure(const ClassicArguments& arguments, StopSource& stop) {
    const SystemRoot system;
    SessionPlan plan =
        session_plan(Options{}, arguments.processes, std::chrono::seconds(arguments.seconds));
    if (const Status able = check_requirements(plan, system); !able) {
        return able.error();
    }
    const auto calibration = calibrate_here(stop);
    if (!calibration) {
        return calibration.error();
    }
    plan.loops = work_loops(calibration->loops_per_ms, plan.work);
    return run_session(plan, stop, system);
}

int run(const ClassicArguments& arguments) {
    auto stop = StopSource::create();
    if (!stop) {
        complain(stop.error().message());
        return exit_failure;
    }
    const auto recording = measure(arguments, *stop);
    if (stop->signal_number() != 0) {
        return 128 + stop->signal_number();
    }
    if (!recording) {
        complain(recording.error().message());
        return exit_failure;
    }
    return print(classic_report(*recording));
}

}  // namespace

std::string classic_report(const Recording& recording) {
    std::vector<const ProcessRecord*> by_place;
    by_place.reserve(recording.size());
    for (const ProcessRecord& process : recording) {
        by_place.push_back(&process);
    }
    std::sort(by_place.begin(), by_place.end(),
              [](const auto* a, const auto* b) { return a->place < b->place; });
    std::string text;
    for (const ProcessRecord* process : by_place) {
        text += fmt::format("{:06}\t{:08}\n", process->pid, process->loops);
    }
    return text;
}

int classic_main(int argc, char** argv) {
    const std::string_view word = argc == 2 ? argv[1] : "";
    if (word == "-h" || word == "--help") {
        return print(std::string(usage) + std::string(help));
    }
    if (word == "--version") {
        return print(fmt::format("massive_intr (bench {})\n", tool_version().version));
    }
    if (argc != 3) {
        (void)write_all(STDERR_FILENO, usage.data(), usage.size());
        return exit_usage;
    }
    const auto arguments = read_arguments(argv);
    if (!arguments) {
        complain(arguments.error().message());
        return exit_usage;
    }
    return run(*arguments);
}

}  // namespace bench::massive_intr
