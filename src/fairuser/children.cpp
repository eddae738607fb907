#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "common/child_setup.h"
#include "common/clock.h"
#include "common/syscalls.h"
#include "fairuser/workload.h"

namespace bench::fairuser {
namespace {

constexpr int kBySignal = 128;

int exit_status(int wait_status) {
    return WIFSIGNALED(wait_status) ? kBySignal + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

}  // namespace

pid_t start_child(const UserRun& run, const std::function<int()>& body) {
    const pid_t parent = ::getpid();
    const pid_t pid = syscalls().fork();
    if (pid == 0) {
        die_with_parent(parent);
        set_program_signals();
        ::_exit(body());
    }
    if (pid < 0) {
        run.slot().fail(fmt::format("fork: {}", std::strerror(errno)));
    }
    return pid;
}

int wait_for_children() {
    int first = 0;
    while (true) {
        int status = 0;
        const pid_t pid = ::waitpid(-1, &status, 0);
        if (pid < 0 && errno != EINTR) {
            return first;
        }
        if (pid > 0 && first == 0 && status != 0) {
            first = exit_status(status);
            ::kill(0, SIGTERM);  // the leader's process group; it ignores this one itself
        }
    }
}

Workload program_workload(std::vector<std::string> argv) {
    Workload workload;
    workload.body = [argv = std::move(argv)](const UserRun& run) {
        // Waits here, not in the child: what the program is charged begins with its start.
        run.wait_for_start();
        const pid_t program = start_child(run, [&] {
            std::vector<char*> words;
            for (const std::string& word : argv) {
                words.push_back(const_cast<char*>(word.c_str()));
            }
            words.push_back(nullptr);
            ::execvp(words[0], words.data());
            run.slot().fail(fmt::format("execute {}: {}", argv[0], std::strerror(errno)));
            constexpr int kCouldNotExecute = 127;
            return kCouldNotExecute;
        });
        if (program < 0) {
            return EXIT_FAILURE;
        }
        // The program's own end is the end of the work; what it left running came to us and is
        // reaped on the way, so that it counts.
        while (true) {
            int status = 0;
            const pid_t pid = ::waitpid(-1, &status, 0);
            if (pid == program) {
                run.slot().finished_ns = MonotonicClock::now().time_since_epoch().count();
                return exit_status(status);
            }
            if (pid < 0 && errno != EINTR) {
                return EXIT_FAILURE;
            }
        }
    };
    return workload;
}

}  // namespace bench::fairuser
