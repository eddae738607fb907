#include "vm/guest_init.h"

#include <fcntl.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

#include "common/clock.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/file_tail.h"
#include "vm/channel.h"
#include "vm/guest_frames.h"
#include "vm/guest_image.h"
#include "vm/guest_system.h"
#include "vm/guest_trial.h"
#include "vm/vcpu_gap.h"

namespace bench {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr const char* kBundle = "/tmp/cell";
constexpr const char* kOutput = "/tmp/output";
constexpr std::size_t kOutputTail = 64U << 10U;
constexpr timespec kBeat = {1, 0};

sigset_t watched_signals() {
    sigset_t set;
    sigemptyset(&set);
    // The kernel sends SIGINT for Ctrl-Alt-Del; process 1 would ignore both otherwise.
    for (const int signal : {SIGCHLD, SIGTERM, SIGINT}) {
        sigaddset(&set, signal);
    }
    return set;
}

[[noreturn]] void exec_cell(const std::vector<std::string>& arguments) {
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::setsid();
    const int output = ::open(kOutput, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (output >= 0) {
        ::dup2(output, STDOUT_FILENO);
        ::dup2(output, STDERR_FILENO);
        ::close(output);
    }
    std::vector<std::string> words = {"bench"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    words.push_back(std::string("--bundle=") + kBundle);
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    ::execv("/proc/self/exe", argv.data());
    ::_exit(127);
}

int exit_code_of(int wait_status) {
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

/// The kernel's log, piece by piece.
class KernelLog {
  public:
    KernelLog() : fd_(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}

    /// What came since the last call; at the first all that is kept. Of very much, the beginning.
    std::string news() {
        constexpr std::size_t kMost = 1U << 20U;
        std::string log;
        std::array<char, 16384> record{};
        while (fd_.valid()) {
            const ssize_t got = ::read(fd_.get(), record.data(), record.size());
            if (got > 0 && log.size() < kMost) {
                log.append(record.data(), static_cast<std::size_t>(got));
            } else if (got == 0 || (got < 0 && errno != EINTR && errno != EPIPE)) {
                // EPIPE: records were overwritten before they were read.
                break;
            }
        }
        return log;
    }

  private:
    Fd fd_;
};

/// The first process and its cells.
class Guest {
  public:
    Guest(GuestOrders orders, ChannelWriter& channel)
        : orders_(std::move(orders)), channel_(channel), watched_(watched_signals()) {
        ::sigprocmask(SIG_BLOCK, &watched_, nullptr);
    }

    void run() {
        // What the kernel still does after it has started init must not meet the first cell.
        rest(orders_.settle_ms);
        for (std::size_t i = 0; i < orders_.cells.size() && !told_to_stop_; ++i) {
            if (i > 0) {
                rest(orders_.rest_ms);
            }
            run_cell(i);
        }
        channel_.end();
    }

  private:
    void rest(std::int64_t ms) {
        for (std::int64_t rested = 0; rested < ms; rested += 1000) {
            std::this_thread::sleep_for(
                std::chrono::milliseconds(std::min<std::int64_t>(1000, ms - rested)));
            channel_.beat();
        }
    }

    void run_cell(std::size_t index) {
        const pid_t cell = ::fork();
        if (cell == 0) {
            exec_cell(orders_.cells[index]);
        }
        int status = 127;
        std::string gap;
        if (cell < 0) {
            guest_says(errno_error("fork").message());
        } else {
            std::optional<VcpuGapWatch> watch;
            if (orders_.vcpus > 1) {
                watch.emplace(orders_.vcpus);
            }
            status = await(cell);
            gap = watch ? watch->finish() : "";
        }
        end_all_others();
        hand_over(index, status, gap);
        std::error_code ignored;
        fs::remove_all(kBundle, ignored);
        fs::remove(kOutput, ignored);
    }

    /// Waits for the cell with a sign of life a second; whatever is orphaned is reaped.
    int await(pid_t cell) {
        const TimePoint begin = MonotonicClock::now();
        while (true) {
            const int signal = ::sigtimedwait(&watched_, nullptr, &kBeat);
            channel_.beat();
            trial_.beat(MonotonicClock::now() - begin);
            if (signal == SIGTERM || signal == SIGINT) {
                told_to_stop_ = true;
                ::kill(cell, SIGTERM);
            }
            int status = 0;
            for (pid_t gone = 1; gone > 0;) {
                gone = ::waitpid(-1, &status, WNOHANG);
                if (gone == cell) {
                    return exit_code_of(status);
                }
            }
        }
    }

    /// The next cell finds nothing of this one.
    static void end_all_others() {
        ::kill(-1, SIGKILL);
        while (::waitpid(-1, nullptr, 0) > 0) {
        }
    }

    [[nodiscard]] Status hand_over_bundle(std::size_t index) {
        std::error_code error;
        std::vector<fs::path> files;
        for (const auto& entry : fs::directory_iterator(kBundle, error)) {
            files.push_back(entry.path());
        }
        std::sort(files.begin(), files.end());
        for (const fs::path& file : files) {
            const auto bytes = read_file(file);
            if (!bytes) {
                return bytes.error();
            }
            const std::string name = kBundleFrames + file.filename().string();
            if (auto added = channel_.add(cell_frame(index, name), *bytes); !added) {
                return added;
            }
        }
        return {};
    }

    void hand_over(std::size_t index, int status, const std::string& gap) {
        std::string complaint;
        if (const Status done = hand_over_bundle(index); !done) {
            complaint = done.error().message();
        }
        for (const auto& [name, text] :
             {std::pair<const char*, std::string>(kOutputFrame, file_tail(kOutput, kOutputTail)),
              {kLogFrame, log_.news()},
              {kGapFrame, gap},
              {kErrorFrame, complaint},
              {kStatusFrame, std::to_string(status)}}) {
            if (const Status added = channel_.add(cell_frame(index, name), text); !added) {
                guest_says(added.error().message());
            }
        }
        channel_.cell_done();
    }

    GuestOrders orders_;
    ChannelWriter& channel_;
    sigset_t watched_;
    KernelLog log_;
    GuestTrial trial_;
    bool told_to_stop_ = false;
};

Status serve() {
    if (auto mounted = mount_guest_filesystems(); !mounted) {
        return mounted;
    }
    bring_loopback_up();
    settle_guest_defaults();
    auto memory = map_host_channel();
    if (!memory) {
        return memory.error();
    }
    ChannelWriter channel(*memory);
    channel.beat();
    const auto text = read_file(std::string("/") + kGuestOrders);
    if (!text) {
        return text.error();
    }
    auto orders = parse_guest_orders(*text);
    if (!orders) {
        return orders.error();
    }
    if (auto online = bring_cpus_online(orders->vcpus); !online) {
        return online;
    }
    Guest(*orders, channel).run();
    return {};
}

}  // namespace

void run_as_guest_init() {
    ::setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
    ::setenv("HOME", "/tmp", 1);
    ::setenv("TMPDIR", "/tmp", 1);
    if (const Status served = serve(); !served) {
        guest_says(served.error().message());
    }
    ::reboot(RB_POWER_OFF);
    // A kernel that can't turn the machine off: QEMU ends at a restart as well.
    ::reboot(RB_AUTOBOOT);
    while (true) {
        ::pause();
    }
}

}  // namespace bench
