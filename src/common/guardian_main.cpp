#include "common/guardian_main.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <set>
#include <unordered_map>

#include "common/captured_output.h"
#include "common/cgroup_removal.h"
#include "common/child_setup.h"
#include "common/descendants.h"
#include "common/guardian_protocol.h"
#include "common/supervised_command.h"
#include "common/sysfs.h"
#include "common/tree_account.h"

namespace bench {
namespace {

using Kind = GuardianEvent::Kind;

class GuardianProcess {
  public:
    GuardianProcess(const Guardian::Options& options, int link) : options_(options), link_(link) {}

    [[noreturn]] void run() {
        if (become_guardian() && make_scratch() && start_commands()) {
            let_go_of_callers_files();
            tell({Kind::ready, 0, 0, 0, {}});
            serve();
        }
        kill_descendants(
            [this](pid_t pid, int status, const rusage& used) { note_exit(pid, status, used); });
        tell_usage();
        remove_cgroups();
        restore_files();
        remove_folders();
        ::_exit(EXIT_SUCCESS);
    }

  private:
    bool become_guardian() {
        ::prctl(PR_SET_NAME, kGuardianName);
        if (options_.own_session) {
            ::setsid();
        } else {
            ::setpgid(0, 0);
        }
        for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU,
                                 SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM}) {
            ::signal(signal, SIG_IGN);
        }
        // An ignored SIGCHLD would have the kernel reap the children behind our back.
        ::signal(SIGCHLD, SIG_DFL);
        sigset_t child;
        sigemptyset(&child);
        sigaddset(&child, SIGCHLD);
        ::sigprocmask(SIG_BLOCK, &child, nullptr);
        child_signals_.reset(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
        if (!child_signals_.valid() || ::prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL) != 0) {
            tell_failure(Kind::start_failed, 0, errno, "guardian");
            return false;
        }
        std::vector<int> keep = own_fds();
        for (const SupervisedCommand& command : options_.commands) {
            keep.insert(keep.end(), command.keep_fds.begin(), command.keep_fds.end());
        }
        make_room_for_outputs();
        return close_fds_except(std::move(keep)).ok();
    }

    /// A pipe a command: more than the usual limit lets us have. The commands keep the old one.
    void make_room_for_outputs() {
        ::getrlimit(RLIMIT_NOFILE, &files_);
        rlimit most = files_;
        most.rlim_cur = most.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &most);
    }

    [[nodiscard]] std::vector<int> own_fds() const {
        std::vector<int> own = options_.keep_fds;
        own.insert(own.end(), {link_, child_signals_.get()});
        if (options_.outlived_by != nullptr) {
            own.push_back(options_.outlived_by->event_fd());
        }
        for (const auto& output : outputs_) {
            if (output) {
                own.push_back(output->read_end());
            }
        }
        return own;
    }

    bool make_scratch() {
        if (!options_.scratch_prefix) {
            return true;
        }
        constexpr std::string_view kRandom = "XXXXXX";
        scratch_ = options_.scratch_prefix->string() + std::string(kRandom);
        if (::mkdtemp(scratch_.data()) == nullptr) {
            tell_failure(Kind::scratch_failed, 0, errno, "mkdtemp");
            scratch_.clear();
            return false;
        }
        tell_failure(Kind::scratch_made, 0, 0,
                     std::string_view(scratch_).substr(scratch_.size() - kRandom.size()));
        return true;
    }

    bool start_commands() {
        for (std::uint32_t index = 0; index < options_.commands.size(); ++index) {
            const SupervisedCommand& command = options_.commands[index];
            const pid_t group = command.group_of ? groups_.at(*command.group_of) : 0;
            if (const Status made = make_output(command); !made) {
                tell_failure(Kind::start_failed, index, made.error().code, made.error().operation);
                return false;
            }
            std::optional<CapturedOutput>& output = outputs_.back();
            const Result<pid_t> pid =
                start_supervised(command, {group, output ? output->write_end() : -1, files_});
            if (output) {
                output->close_write_end();
            }
            if (!pid) {
                tell_failure(Kind::start_failed, index, pid.error().code, pid.error().operation);
                return false;
            }
            index_of_.emplace(*pid, index);
            groups_.push_back(group != 0 ? group : *pid);
            tell({Kind::started, index, *pid, 0, {}});
        }
        return true;
    }

    Status make_output(const SupervisedCommand& command) {
        outputs_.emplace_back();
        if (command.output.empty()) {
            return {};
        }
        Result<CapturedOutput> made = CapturedOutput::create(command.output, kOutputKept);
        if (!made) {
            return made.error();
        }
        outputs_.back() = std::move(made).value();
        return {};
    }

    /// Whoever reads our owner's output must not wait for us.
    void let_go_of_callers_files() const {
        static_cast<void>(close_fds_except(own_fds()));
        const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
        for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
            ::dup2(null.get(), fd);
        }
        static_cast<void>(::chdir("/") == 0);
    }

    /// Until the owner is gone, or its order to stop has been obeyed.
    void serve() {
        std::optional<TimePoint> kill_at;
        while (!kill_at || (!index_of_.empty() && MonotonicClock::now() < *kill_at)) {
            // Those still open alone: poll(2) takes no more than the limit of descriptors.
            std::vector<pollfd> fds{{link_, POLLIN, 0}, {child_signals_.get(), POLLIN, 0}};
            std::vector<CapturedOutput*> open;
            for (auto& output : outputs_) {
                if (output && output->read_end() >= 0) {
                    fds.push_back({output->read_end(), POLLIN, 0});
                    open.push_back(&*output);
                }
            }
            ::poll(fds.data(), fds.size(), kill_at ? remaining_ms(*kill_at) : -1);
            for (std::size_t i = 0; i < open.size(); ++i) {
                if (fds[i + 2].revents != 0) {
                    open[i]->take();
                }
            }
            if (fds[1].revents != 0) {
                reap();
            }
            if (fds[0].revents != 0) {
                GuardianOrder order;
                if (::recv(link_, &order, sizeof order, MSG_DONTWAIT) !=
                    static_cast<ssize_t>(sizeof order)) {
                    return;
                }
                if (order.kind == GuardianOrder::Kind::account) {
                    reap();
                    tell_usage();
                    continue;
                }
                kill_at = MonotonicClock::now() + Duration(order.grace_ns);
                if (order.grace_ns > 0) {
                    signal_groups(order.signal);
                }
            }
        }
    }

    static int remaining_ms(TimePoint until) {
        constexpr std::int64_t kMost = 1'000'000;
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - MonotonicClock::now());
        return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, kMost));
    }

    void signal_groups(int signal) const {
        std::set<pid_t> groups;
        for (const auto& [pid, index] : index_of_) {
            groups.insert(groups_[index]);
        }
        for (const pid_t group : groups) {
            ::kill(-group, signal);
        }
    }

    void reap() {
        signalfd_siginfo info;
        while (::read(child_signals_.get(), &info, sizeof info) > 0) {
        }
        reap_children(
            [this](pid_t pid, int status, const rusage& used) { note_exit(pid, status, used); });
    }

    void note_exit(pid_t pid, int status, const rusage& used) {
        account_.add_ended(used);
        const auto found = index_of_.find(pid);
        if (found == index_of_.end()) {
            return;  // an orphan that came to us
        }
        take_last_words(found->second);
        const std::int64_t at = MonotonicClock::now().time_since_epoch().count();
        tell({Kind::exited, found->second, status, at, {}});
        index_of_.erase(found);
    }

    void tell_usage() {
        GuardianEvent event{Kind::used, 0, 0, 0, {}};
        const TreeUsage usage = account_.read(::getpid());
        event.usage.cpu_time_ns = usage.cpu_time.count();
        event.usage.running = usage.running;
        if (usage.context_switches) {
            event.usage.context_switches = static_cast<std::int64_t>(*usage.context_switches);
        }
        if (usage.run_delay) {
            event.usage.run_delay_ns = usage.run_delay->count();
        }
        tell(event);
    }

    void remove_cgroups() const {
        const std::vector<std::filesystem::path>& groups = options_.remove_cgroups_afterwards;
        for (std::uint32_t index = static_cast<std::uint32_t>(groups.size()); index-- > 0;) {
            if (const Status removed = remove_cgroup(groups[index].string()); !removed) {
                tell_failure(Kind::cgroup_failed, index, removed.error().code,
                             removed.error().operation);
            }
        }
    }

    void restore_files() const {
        const std::vector<FileContent>& files = options_.restore_afterwards;
        for (std::uint32_t index = static_cast<std::uint32_t>(files.size()); index-- > 0;) {
            if (const Status written = restore_file(files[index]); !written) {
                tell_failure(Kind::restore_failed, index, written.error().code,
                             written.error().operation);
            }
        }
    }

    /// All that an ended command printed is in its pipe. What it left running may still print, so
    /// there is a bound.
    void take_last_words(std::uint32_t index) {
        constexpr int kPipeFull = 16;  // times 64 KiB, the most an unprivileged pipe holds
        for (int i = 0; i < kPipeFull && outputs_[index] && outputs_[index]->take(); ++i) {
        }
    }

    void remove_folders() {
        std::vector<std::filesystem::path> folders = options_.remove_afterwards;
        if (!scratch_.empty()) {
            folders.emplace_back(scratch_);
        }
        for (std::uint32_t index = 0; index < folders.size(); ++index) {
            std::error_code code;
            std::filesystem::remove_all(folders[index], code);
            // Something outside our reach may still have been writing there.
            constexpr int kTries = 20;
            constexpr useconds_t kPauseUs = 10'000;
            for (int i = 0; i < kTries && code; ++i) {
                ::usleep(kPauseUs);
                std::filesystem::remove_all(folders[index], code);
            }
            if (code) {
                tell({Kind::removal_failed, index, code.value(), 0, {}});
            }
        }
    }

    void tell_failure(Kind kind, std::uint32_t index, int code, std::string_view text) const {
        GuardianEvent event{kind, index, code, 0, {}};
        text.copy(event.text.data(), event.text.size() - 1);
        tell(event);
    }

    /// An owner that is gone hears nothing, which is as well.
    void tell(const GuardianEvent& event) const {
        while (::send(link_, &event, sizeof event, MSG_NOSIGNAL) < 0 && errno == EINTR) {
        }
    }

    const Guardian::Options& options_;
    int link_;
    Fd child_signals_;
    std::string scratch_;
    std::unordered_map<pid_t, std::uint32_t> index_of_;   ///< commands that still run
    std::vector<pid_t> groups_;                           ///< process group of each command
    std::vector<std::optional<CapturedOutput>> outputs_;  ///< of each command
    TreeAccount account_;
    rlimit files_{};  ///< the limit our owner had
};

}  // namespace

Status restore_file(const FileContent& file) {
    constexpr int kTries = 20;
    constexpr useconds_t kPauseUs = 10'000;
    Status written = SystemRoot().write(file.path.string(), file.text);
    for (int i = 0; i < kTries && !written; ++i) {
        if (written.error().code != EBUSY && written.error().code != EAGAIN) {
            break;
        }
        ::usleep(kPauseUs);
        written = SystemRoot().write(file.path.string(), file.text);
    }
    return written;
}

void run_guardian(const Guardian::Options& options, int link) {
    GuardianProcess(options, link).run();
}

}  // namespace bench
