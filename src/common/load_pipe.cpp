#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "common/load_supervised.h"
#include "common/process_group.h"
#include "common/syscalls.h"

namespace bench {
namespace {

/// Half the size of a classic message-passing group, and its message.
constexpr std::size_t kSenders = 10;
constexpr std::size_t kReceivers = 10;
constexpr std::size_t kMessageBytes = 100;

using Message = std::array<char, kMessageBytes>;

/// One message to each receiver in turn, for ever. Below PIPE_BUF a message is written whole.
int send_messages(const std::vector<int>& receivers) {
    const Message message{};
    while (true) {
        for (const int fd : receivers) {
            if (::write(fd, message.data(), message.size()) < 0 && errno != EINTR) {
                return EXIT_FAILURE;
            }
        }
    }
}

int receive_messages(int fd) {
    Message message;
    while (true) {
        const ssize_t got = ::read(fd, message.data(), message.size());
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return EXIT_FAILURE;
        }
    }
}

Status add_group(LoadPlan& plan) {
    std::vector<int> read_ends;
    std::vector<int> write_ends;
    for (std::size_t index = 0; index < kReceivers; ++index) {
        std::array<int, 2> ends{-1, -1};
        if (syscalls().pipe2(ends.data(), O_CLOEXEC) != 0) {
            return errno_error("pipe", "load");
        }
        plan.fds.emplace_back(ends[0]);
        plan.fds.emplace_back(ends[1]);
        read_ends.push_back(ends[0]);
        write_ends.push_back(ends[1]);
    }
    for (const int fd : read_ends) {
        SupervisedCommand command;
        command.keep_fds = {fd};
        command.body = [fd] { return receive_messages(fd); };
        plan.commands.push_back(std::move(command));
    }
    for (std::size_t index = 0; index < kSenders; ++index) {
        SupervisedCommand command;
        command.keep_fds = write_ends;
        command.body = [write_ends] { return send_messages(write_ends); };
        plan.commands.push_back(std::move(command));
    }
    return {};
}

}  // namespace

Result<LoadPlan> plan_pipe(const LoadOptions& options, const SystemRoot& system) {
    const auto groups = static_cast<std::size_t>(options.spec.amount.value_or(1));
    const std::size_t all = groups * static_cast<std::size_t>(options.copies);
    const WorkerNeeds needs{all * (kSenders + kReceivers), WorkerKind::process,
                            all * kReceivers * 2};
    if (const Status reserved = reserve_for_workers(needs, system); !reserved) {
        return reserved.error();
    }
    LoadPlan plan;
    plan.commands_per_copy = groups * (kSenders + kReceivers);
    for (std::size_t group = 0; group < all; ++group) {
        if (const Status added = add_group(plan); !added) {
            return added.error();
        }
    }
    for (std::size_t index = 0; index < plan.commands.size(); ++index) {
        if (const std::size_t place = index % plan.commands_per_copy; place != 0) {
            plan.commands[index].group_of = index - place;
        }
    }
    return plan;
}

}  // namespace bench
