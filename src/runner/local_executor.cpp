#include "runner/local_executor.h"

#include <sys/wait.h>

#include "common/file_tail.h"
#include "runner/cell_watch.h"

namespace bench {
namespace {

using namespace std::chrono_literals;

constexpr Duration kGrace = 1s;
constexpr std::size_t kTailBytes = 4096;

int exit_code_of(int wait_status) {
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

}  // namespace

Result<CellExecution> LocalExecutor::run(const CellRequest& request, const Tick& tick) {
    SupervisedCommand command;
    // Not the path it leads to: a build or an upgrade may put another program there meanwhile.
    command.argv = {"/proc/self/exe"};
    command.argv.insert(command.argv.end(), request.arguments.begin(), request.arguments.end());
    command.argv.push_back("--bundle=" + request.bundle.string());
    command.output = request.bundle.string() + ".out";
    auto guardian = Guardian::start({.commands = {command},
                                     .remove_afterwards = {},
                                     .scratch_prefix = {},
                                     .outlived_by = &keeper_});
    if (!guardian) {
        return guardian.error();
    }
    const TimePoint give_up = MonotonicClock::now() + request.timeout;
    CellExecution execution;
    std::optional<CellConduct> conduct;
    while (!(conduct = conduct_now(*guardian, give_up))) {
        if (!wait_a_tick(stop_, guardian->event_fd(), give_up, tick)) {
            conduct = CellConduct::interrupted;
            break;
        }
    }
    execution.conduct = *conduct;
    if (auto stopped = guardian->stop(kGrace); !stopped && execution.conduct != CellConduct::lost) {
        return stopped.error();
    }
    if (!guardian->poll_exits().empty()) {
        execution.exit_code = exit_code_of(guardian->poll_exits().front().wait_status);
    }
    execution.output_tail = file_tail(command.output, kTailBytes);
    return execution;
}

}  // namespace bench
