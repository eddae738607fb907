#include "vm/guest_init.h"

#include <fcntl.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "common/clock.h"
#include "common/file.h"
#include "common/file_tail.h"
#include "common/kernel_log.h"
#include "common/sysfs.h"
#include "vm/channel.h"
#include "vm/guest_frames.h"
#include "vm/guest_image.h"
#include "vm/guest_system.h"

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

[[noreturn]] void exec_cell(const GuestOrders& orders) {
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
    words.insert(words.end(), orders.arguments.begin(), orders.arguments.end());
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

/// Runs the cell to its end, with a sign of life a second; whatever is orphaned is reaped.
int run_cell_as_child(const GuestOrders& orders, ChannelWriter& channel) {
    const sigset_t watched = watched_signals();
    ::sigprocmask(SIG_BLOCK, &watched, nullptr);
    const pid_t cell = ::fork();
    if (cell == 0) {
        exec_cell(orders);
    }
    if (cell < 0) {
        guest_says(errno_error("fork").message());
        return 127;
    }
    while (true) {
        const int signal = ::sigtimedwait(&watched, nullptr, &kBeat);
        channel.beat();
        if (signal == SIGTERM || signal == SIGINT) {
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

Status hand_over_bundle(ChannelWriter& channel) {
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
        if (auto added = channel.add(kBundleFrames + file.filename().string(), *bytes); !added) {
            return added;
        }
    }
    return {};
}

void hand_over(ChannelWriter& channel, int status) {
    std::string complaint;
    if (const Status done = hand_over_bundle(channel); !done) {
        complaint = done.error().message();
    }
    for (const auto& [name, text] :
         {std::pair<const char*, std::string>(kOutputFrame, file_tail(kOutput, kOutputTail)),
          {kLogFrame, read_kernel_log(SystemRoot(), "").value_or("")},
          {kErrorFrame, complaint}}) {
        if (const Status added = channel.add(name, text); !added) {
            guest_says(added.error().message());
        }
    }
    channel.end(status);
}

Status serve() {
    if (auto mounted = mount_guest_filesystems(); !mounted) {
        return mounted;
    }
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
    const auto orders = parse_guest_orders(*text);
    if (!orders) {
        return orders.error();
    }
    // What the kernel still does after it has started init must not meet the cell.
    for (std::int64_t rested = 0; rested < orders->settle_ms; rested += 1000) {
        std::this_thread::sleep_for(
            std::chrono::milliseconds(std::min<std::int64_t>(1000, orders->settle_ms - rested)));
        channel.beat();
    }
    hand_over(channel, run_cell_as_child(*orders, channel));
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
