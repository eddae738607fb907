#include "latt/classic.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <random>

#include "common/guardian.h"
#include "common/syscalls.h"
#include "latt/classic_options.h"
#include "latt/classic_output.h"
#include "latt/requirements.h"
#include "latt/session.h"

namespace bench::latt {
namespace {

using namespace std::chrono_literals;

constexpr int exit_failure = 1;
constexpr int exit_usage = 2;

void complain(std::string_view text) {
    const std::string line = fmt::format("latt: {}\n", text);
    (void)write_all(STDERR_FILENO, line.data(), line.size());
}

// Straight to the descriptor: a full disk is an error of ours, not of an exit handler's.
bool print(std::string_view text) {
    if (write_all(STDOUT_FILENO, text.data(), text.size())) {
        return true;
    }
    complain(errno_error("write", "standard output").message());
    return false;
}

// As the shell tells it.
int shell_status(int wait_status) {
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

int fail(const Error& error) {
    complain(error.message());
    return exit_failure;
}

Options session_options(const ClassicOptions& classic) {
    Options options;
    options.min_wait = std::chrono::milliseconds(classic.min_wait_ms);
    options.max_wait = std::chrono::milliseconds(classic.max_wait_ms);
    options.work = ByteSize{static_cast<std::uint64_t>(classic.work_kb) * 1024U};
    return options;
}

// How the command ended: what it says itself, or the signal that ended us both.
int command_status(Guardian& command, StopReason reason, const StopSource& stop) {
    if (reason == StopReason::signal) {
        return 128 + stop.signal_number();
    }
    const auto& exits = command.poll_exits();
    if (exits.empty()) {
        complain("the command's guardian was killed");
        return exit_failure;
    }
    return shell_status(exits.front().wait_status);
}

int measure(const ClassicOptions& classic) {
    const IgnoreSigpipe ignore_sigpipe;
    const SystemRoot system;
    const Options options = session_options(classic);
    const auto clients = static_cast<std::uint32_t>(classic.clients);
    auto stop = StopSource::create();
    if (!stop) {
        return fail(stop.error());
    }
    if (const Status able = check_requirements(options, clients, system); !able) {
        return fail(able.error());
    }
    // The clients stand ready before the command starts: all of its run is measured.
    auto session = Session::start(
        {.options = options, .clients = clients, .seed = std::random_device{}()}, *stop, system);
    if (!session) {
        return fail(session.error());
    }
    SupervisedCommand shell;
    shell.argv = {"/bin/sh", "-c", classic.command};
    Guardian::Options guarded;
    guarded.commands.push_back(std::move(shell));
    auto command = Guardian::start(std::move(guarded));
    if (!command) {
        return fail(command.error());
    }
    stop->watch_load(command->event_fd());
    const auto reason = (*session)->run();
    const int status = reason ? command_status(*command, *reason, *stop) : exit_failure;
    const Status stopped = command->stop(1s);

    if (!reason) {
        complain(reason.error().message());
    }
    const Recording& recording = (*session)->recording();
    if (recording.samples.empty()) {
        complain("no entries: the command ended before the first round did");
    }
    if (classic.verbose) {
        const std::string details = classic_details(classic, recording);
        (void)write_all(STDERR_FILENO, details.data(), details.size());
    }
    const bool printed = print(classic_report(classic, recording));
    if (!stopped) {
        complain(stopped.error().message());
    }
    return status == 0 && (!printed || !stopped) ? exit_failure : status;
}

}  // namespace

int classic_main(int argc, char** argv) {
    const auto options = parse_classic_options(argc, argv);
    if (!options) {
        complain(options.error().message());
        return exit_usage;
    }
    switch (options->action) {
        case ClassicOptions::Action::help:
            return print(classic_help()) ? 0 : exit_failure;
        case ClassicOptions::Action::version:
            return print(classic_version()) ? 0 : exit_failure;
        case ClassicOptions::Action::run:
            break;
    }
    if (options->command.find_first_not_of(" \t\n") == std::string::npos) {
        const std::string usage = classic_usage();
        (void)write_all(STDERR_FILENO, usage.data(), usage.size());
        return exit_usage;
    }
    return measure(*options);
}

}  // namespace bench::latt
