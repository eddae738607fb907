#include "common/supervised_command.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "common/child_setup.h"
#include "common/syscalls.h"
#include "common/sysfs.h"

namespace bench {
namespace {

enum class Step : int { setup, redirect, join_cgroup, become_user, change_folder, execute };

/// What a child that could not become its command says through the report pipe.
struct Failure {
    Step step = Step::setup;
    int code = 0;
    std::array<char, 24> call{};  ///< of become_user()
};

std::string_view key_of(std::string_view setting) {
    return setting.substr(0, setting.find('='));
}

/// This process's environment with the command's changes. The pointers refer to both.
std::vector<char*> merge_environment(const std::vector<std::string>& changes) {
    std::vector<char*> merged;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        bool kept = true;
        for (const std::string& change : changes) {
            kept = kept && key_of(change) != key_of(*entry);
        }
        if (kept) {
            merged.push_back(*entry);
        }
    }
    for (const std::string& change : changes) {
        if (change.find('=') != std::string::npos) {
            merged.push_back(const_cast<char*>(change.c_str()));
        }
    }
    merged.push_back(nullptr);
    return merged;
}

std::vector<char*> argument_pointers(const std::vector<std::string>& arguments) {
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (const std::string& argument : arguments) {
        pointers.push_back(const_cast<char*>(argument.c_str()));
    }
    pointers.push_back(nullptr);
    return pointers;
}

bool read_nothing() {
    const int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    return fd >= 0 && ::dup2(fd, STDIN_FILENO) >= 0;
}

bool print_to(int fd) {
    return fd < 0 || (::dup2(fd, STDOUT_FILENO) >= 0 && ::dup2(fd, STDERR_FILENO) >= 0);
}

bool enter_group(const SupervisedCommand& command, pid_t group) {
    return command.own_session ? ::setsid() >= 0 : ::setpgid(0, group) == 0;
}

/// While we still may. "0" is whoever writes it.
std::optional<Failure> join_cgroups(const SupervisedCommand& command) {
    for (const std::filesystem::path& file : command.join_cgroups) {
        if (const Status joined = SystemRoot().write(file.string(), "0"); !joined) {
            return Failure{Step::join_cgroup, joined.error().code, {}};
        }
    }
    return std::nullopt;
}

std::optional<Failure> change_user(const SupervisedCommand& command, pid_t parent) {
    if (!command.user) {
        return std::nullopt;
    }
    if (const Status changed = become_user(*command.user); !changed) {
        Failure failure{Step::become_user, changed.error().code, {}};
        changed.error().operation.copy(failure.call.data(), failure.call.size() - 1);
        return failure;
    }
    // The kernel forgot this with the old user, and hides /proc/self from the new one.
    die_with_parent(parent);
    ::prctl(PR_SET_DUMPABLE, 1UL, 0UL, 0UL, 0UL);
    return std::nullopt;
}

/// Everything before the command itself; what failed, if something did.
std::optional<Failure> set_up(const SupervisedCommand& command, pid_t parent,
                              const CommandPlace& place, int report) {
    const auto failed = [](Step step) { return Failure{step, errno, {}}; };
    if (!enter_group(command, place.group) || ::setrlimit(RLIMIT_NOFILE, &place.files) != 0) {
        return failed(Step::setup);
    }
    set_program_signals();
    if (!read_nothing() || !print_to(place.output)) {
        return failed(Step::redirect);
    }
    for (const int fd : command.keep_fds) {
        if (::fcntl(fd, F_SETFD, 0) != 0) {
            return failed(Step::setup);
        }
    }
    std::vector<int> keep = command.keep_fds;
    keep.push_back(report);
    if (!close_fds_except(std::move(keep))) {
        return failed(Step::setup);
    }
    if (const auto failure = join_cgroups(command)) {
        return failure;
    }
    if (const auto failure = change_user(command, parent)) {
        return failure;
    }
    if (!command.working_directory.empty() && ::chdir(command.working_directory.c_str()) != 0) {
        return failed(Step::change_folder);
    }
    return std::nullopt;
}

[[noreturn]] void become(const SupervisedCommand& command, pid_t parent, const CommandPlace& place,
                         int report) {
    die_with_parent(parent);
    // Not the guardian's name any more: an outer guardian would spare it.
    ::prctl(PR_SET_NAME, "bench-command");
    std::vector<std::string> changes =
        command.user ? user_environment(*command.user) : std::vector<std::string>();
    for (const std::string& change : command.environment) {
        std::erase_if(changes, [&](const auto& old) { return key_of(old) == key_of(change); });
        changes.push_back(change);
    }
    std::vector<char*> environment = merge_environment(changes);
    environ = environment.data();
    Failure failure;
    if (const auto failed = set_up(command, parent, place, report)) {
        failure = *failed;
    } else if (command.body) {
        ::close(report);
        ::_exit(command.body());
    } else {
        const std::vector<char*> arguments = argument_pointers(command.argv);
        ::execvp(arguments[0], arguments.data());
        failure = Failure{Step::execute, errno, {}};
    }
    constexpr int kCouldNotExecute = 127;
    static_cast<void>(write_all(report, &failure, sizeof failure));
    ::_exit(kCouldNotExecute);
}

Error to_error(const Failure& failure, const SupervisedCommand& command) {
    const std::string name = command.argv.empty() ? "load" : command.argv[0];
    switch (failure.step) {
        case Step::redirect:
            return Error{failure.code, "open", command.output.string(), "output of " + name};
        case Step::join_cgroup:
            return Error{failure.code, "join cgroup", name, {}};
        case Step::become_user:
            return Error{failure.code, failure.call.data(), name, {}};
        case Step::change_folder:
            return Error{failure.code, "chdir", command.working_directory.string(), {}};
        case Step::execute:
            return Error{failure.code, "execute", name, {}};
        case Step::setup:
            break;
    }
    return Error{failure.code, "set up", name, {}};
}

}  // namespace

Result<pid_t> start_supervised(const SupervisedCommand& command, const CommandPlace& place) {
    std::array<int, 2> ends{-1, -1};
    if (syscalls().pipe2(ends.data(), O_CLOEXEC) != 0) {
        return errno_error("pipe");
    }
    const Fd report_read(ends[0]);
    Fd report_write(ends[1]);
    const pid_t parent = ::getpid();
    const pid_t pid = syscalls().fork();
    if (pid == 0) {
        become(command, parent, place, report_write.get());
    }
    if (pid < 0) {
        return errno_error("fork");
    }
    report_write.reset();
    Failure failure;
    ssize_t got = -1;
    do {
        got = ::read(report_read.get(), &failure, sizeof failure);
    } while (got < 0 && errno == EINTR);
    if (got == static_cast<ssize_t>(sizeof failure)) {
        int status = 0;
        while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
        return to_error(failure, command);
    }
    return pid;
}

}  // namespace bench
