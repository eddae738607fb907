#include "vm/guest_boot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "common/child_setup.h"
#include "common/file.h"
#include "common/file_tail.h"
#include "runner/cell_watch.h"
#include "vm/guest_image.h"
#include "vm/sha256.h"

namespace bench {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// Of the host's time without a sign of life. A guest gives one each second of its own, which takes
/// half a second of a host CPU at most; this leaves room for a very busy host.
constexpr Duration kLongestSilence = 60s;
constexpr std::int64_t kSettleVirtualMs = 5000;
constexpr std::int64_t kSettleRealMs = 1000;
constexpr std::int64_t kRestMs = 500;
constexpr std::uint64_t kConsoleKept = 4U << 20U;
constexpr std::size_t kOutputTail = 4096;

Status write_file(const fs::path& path, std::string_view bytes) {
    auto file = open_file(path, O_WRONLY | O_CREAT | O_EXCL);
    if (!file) {
        return file.error();
    }
    if (auto written = write_text(file->get(), bytes, path); !written) {
        return written;
    }
    return close_file(std::move(*file), path);
}

Status make_channel_file(const fs::path& path) {
    const auto file = open_file(path, O_RDWR | O_CREAT | O_EXCL);
    if (!file) {
        return file.error();
    }
    if (::ftruncate(file->get(), static_cast<off_t>(channel::kBytes)) != 0) {
        return errno_error("ftruncate", path.string());
    }
    return {};
}

/// Becomes QEMU on those CPUs. On one CPU, a guest in virtual time repeats itself to the byte.
SupervisedCommand pinned(const std::vector<std::string>& argv, const CpuSet& cpus) {
    SupervisedCommand command;
    command.body = [argv, cpus] {
        if (const Status set = set_affinity(cpus); !set) {
            fmt::print(stderr, "{}\n", set.error().message());
            return 126;
        }
        std::vector<char*> words;
        words.reserve(argv.size() + 1);
        for (const std::string& word : argv) {
            words.push_back(const_cast<char*>(word.c_str()));
        }
        words.push_back(nullptr);
        set_program_signals();
        ::execv(words[0], words.data());
        fmt::print(stderr, "{}\n", errno_error("exec", argv[0]).message());
        return 127;
    };
    return command;
}

}  // namespace

std::int64_t settle_ms(GuestTime time) {
    return time == GuestTime::virtual_time ? kSettleVirtualMs : kSettleRealMs;
}

Status GuestBoot::prepare(const std::string& init_image) {
    files_ = {folder_ / "kernel", folder_ / "initramfs", folder_ / "console", folder_ / "channel",
              channel::kBytes};
    emulator_output_ = folder_ / "qemu";
    const GuestOrders orders{settle_ms(task_.machine.time), kRestMs, task_.machine.vcpus,
                             task_.cells};
    std::vector<GuestFile> files = {{kGuestOrders, format_guest_orders(orders)}};
    if (!task_.kernel->config.empty()) {
        files.push_back({"boot/config-" + task_.kernel->release, task_.kernel->config});
    }
    const auto own_part = make_initramfs(files);
    if (!own_part) {
        return own_part.error();
    }
    const std::string image = init_image + *own_part;
    remains_.image_sha256 = sha256_hex(image);
    std::error_code error;
    if (!fs::create_directory(folder_, error)) {
        return plain_error("mkdir", folder_.string(), error.message());
    }
    for (const auto& [path, bytes] :
         {std::pair(files_.kernel, &task_.kernel->image), std::pair(files_.initramfs, &image)}) {
        if (auto written = write_file(path, *bytes); !written) {
            return written;
        }
    }
    if (auto made = make_channel_file(files_.channel); !made) {
        return made;
    }
    auto head = open_file(files_.channel, O_RDONLY);
    if (!head) {
        return head.error();
    }
    channel_ = std::move(*head);
    return {};
}

Result<std::unique_ptr<GuestBoot>> GuestBoot::start(GuestTask task, const fs::path& qemu,
                                                    const std::string& init_image,
                                                    const fs::path& folder, const CpuSet& cpus,
                                                    const Guardian& keeper) {
    auto boot = std::unique_ptr<GuestBoot>(new GuestBoot(std::move(task), folder));
    if (auto prepared = boot->prepare(init_image); !prepared) {
        return prepared.error();
    }
    SupervisedCommand command =
        pinned(qemu_arguments(qemu.string(), boot->task_.machine, boot->files_), cpus);
    command.output = boot->emulator_output_;
    auto guardian = Guardian::start({.commands = {command},
                                     .remove_afterwards = {},
                                     .scratch_prefix = {},
                                     .outlived_by = &keeper});
    if (!guardian) {
        return guardian.error();
    }
    boot->guardian_.emplace(std::move(*guardian));
    boot->last_sign_ = MonotonicClock::now();
    boot->give_up_ = boot->last_sign_ + boot->task_.boot_timeout;
    return boot;
}

GuestBoot::~GuestBoot() {
    guardian_.reset();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

bool GuestBoot::over() {
    std::string head(kChannelHead, '\0');
    (void)::pread(channel_.get(), head.data(), head.size(), 0);
    const ChannelSigns now = channel_signs(head);
    if (now.beats != signs_.beats) {
        last_sign_ = MonotonicClock::now();
    }
    if (signs_.beats == 0 || now.cells != signs_.cells) {
        cell_began_ = last_sign_;
    }
    signs_ = now;
    const TimePoint too_silent =
        last_sign_ + (now.beats == 0 ? task_.boot_timeout : kLongestSilence);
    const TimePoint too_long = now.beats == 0 ? too_silent : cell_began_ + task_.cell_timeout;
    give_up_ = std::min(too_silent, too_long);
    const auto conduct = conduct_now(*guardian_, give_up_);
    if (!conduct) {
        return false;
    }
    remains_.conduct = *conduct;
    if (*conduct == CellConduct::timed_out && too_silent <= too_long) {
        remains_.conduct = CellConduct::finished;
        remains_.end = GuestEnd::hung;
    }
    return true;
}

Result<GuestRemains> GuestBoot::finish() {
    if (!guardian_->poll_exits().empty()) {
        remains_.exit_text = guardian_->poll_exits().front().text();
    }
    // A guest has nothing to save: what it did not hand over is lost either way.
    if (auto stopped = guardian_->stop(0s, SIGKILL);
        !stopped && remains_.conduct != CellConduct::lost) {
        return stopped.error();
    }
    const auto memory = read_file(files_.channel);
    if (!memory) {
        return memory.error();
    }
    remains_.content = read_channel(*memory);
    remains_.beats = channel_signs(*memory).beats;
    remains_.console = read_file(files_.console, kConsoleKept).optional().value_or("");
    remains_.emulator_output = file_tail(emulator_output_, kOutputTail);
    return std::move(remains_);
}

}  // namespace bench
