#include "vm/vm_executor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "common/affinity.h"
#include "common/bundle.h"
#include "common/child_setup.h"
#include "common/file.h"
#include "common/file_tail.h"
#include "common/signal_name.h"
#include "vm/boot_outcome.h"
#include "vm/channel.h"
#include "vm/guest_frames.h"
#include "vm/guest_image.h"
#include "vm/sha256.h"

namespace bench {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr Duration kTick = 200ms;
/// Of the host's time without a sign of life. A guest gives one each second of its own, which takes
/// half a second of a host CPU at most; this leaves room for a very busy host.
constexpr Duration kLongestSilence = 60s;
/// In virtual time resting costs next to nothing.
constexpr std::int64_t kSettleVirtualMs = 5000;
constexpr std::int64_t kSettleRealMs = 1000;
constexpr std::uint64_t kConsoleKept = 4U << 20U;
constexpr std::size_t kConsoleLines = 100;
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

/// One of the CPUs we may use, others for other processes: two guests beside each other should not
/// share one while another is free.
Result<CpuSet> one_cpu() {
    const auto allowed = get_affinity();
    if (!allowed) {
        return allowed.error();
    }
    const auto cpus = allowed->cpus();
    return CpuSet({cpus[static_cast<std::size_t>(::getpid()) % cpus.size()]});
}

/// Becomes QEMU on that CPU. Pinned, a guest in virtual time repeats itself to the byte.
SupervisedCommand pinned(const std::vector<std::string>& argv, const CpuSet& cpu) {
    SupervisedCommand command;
    command.body = [argv, cpu] {
        if (const Status set = set_affinity(cpu); !set) {
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

/// The kernel that the cell's own record names.
std::string recorded_kernel(const ChannelContent& content) {
    const std::string* text = content.find(std::string(kBundleFrames) + "run.json");
    const auto run = Json::parse(text != nullptr ? *text : "", nullptr, false);
    if (!run.is_object() || !run.contains("cells") || !run["cells"].is_array() ||
        run["cells"].empty() || !run["cells"][0].is_object()) {
        return {};
    }
    return run["cells"][0].value("kernel", std::string());
}

Status take_bundle(const ChannelContent& content, const fs::path& bundle) {
    std::error_code error;
    if (!fs::create_directory(bundle, error)) {
        return plain_error("mkdir", bundle.string(), error.message());
    }
    const std::string_view prefix = kBundleFrames;
    for (const auto& [name, bytes] : content.frames) {
        // A name from the guest never leads out of the folder.
        if (!name.starts_with(prefix) || name.find('/', prefix.size()) != std::string::npos) {
            continue;
        }
        if (auto written = write_file(bundle / name.substr(prefix.size()), bytes); !written) {
            return written;
        }
    }
    return {};
}

}  // namespace

/// One boot, from its files to what came of it.
struct VmExecutor::Boot {
    const KernelFile* kernel = nullptr;
    GuestMachine machine;
    BootFiles files;
    fs::path folder, emulator_output;
    std::string image_sha256;
    std::int64_t settle_ms = 0;
    CellConduct conduct = CellConduct::finished;
    GuestEnd end = GuestEnd::ended;
    std::string exit_text;
    std::uint64_t beats = 0;

    [[nodiscard]] bool cell_began() const {
        return beats > 1 + static_cast<std::uint64_t>((settle_ms + 999) / 1000);
    }
    [[nodiscard]] std::string console() const {
        return read_file(files.console, kConsoleKept).optional().value_or("");
    }
};

std::string place_value(const std::vector<std::pair<std::string, std::string>>& place,
                        std::string_view option) {
    for (const auto& [name, value] : place) {
        if (name == option) {
            return value;
        }
    }
    return {};
}

Result<std::unique_ptr<VmExecutor>> VmExecutor::create(GuestSetup setup, StopSource& stop,
                                                       const Guardian& keeper) {
    const auto init = read_file(setup.init);
    if (!init) {
        return init.error();
    }
    auto image = make_initramfs({{.path = "init", .content = *init, .executable = true}});
    if (!image) {
        return image.error();
    }
    auto executor = std::unique_ptr<VmExecutor>(new VmExecutor(std::move(setup), stop, keeper));
    executor->init_image_ = std::move(*image);
    executor->init_sha256_ = sha256_hex(*init);
    return executor;
}

Status VmExecutor::prepare(Boot& boot, const CellRequest& request) const {
    const std::string name = place_value(request.place, "--kernel");
    const auto kernel =
        std::find_if(setup_.kernels.begin(), setup_.kernels.end(),
                     [&](const KernelFile& candidate) { return candidate.given == name; });
    if (kernel == setup_.kernels.end()) {
        return plain_error("boot", name, "no kernel of this run");
    }
    boot.kernel = &*kernel;
    boot.machine = setup_.machine;
    boot.machine.append = place_value(request.place, "--append");
    boot.folder = request.bundle.string() + ".guest";
    boot.files = {boot.folder / "kernel", boot.folder / "initramfs", boot.folder / "console",
                  boot.folder / "channel", channel::kBytes};
    boot.emulator_output = boot.folder / "qemu";
    boot.settle_ms =
        boot.machine.time == GuestTime::virtual_time ? kSettleVirtualMs : kSettleRealMs;
    GuestOrders orders{boot.settle_ms, request.arguments};
    for (const auto& [key, value] : guest_variant(boot.machine)) {
        orders.arguments.push_back(fmt::format("--variant={}={}", key, value));
    }
    std::vector<GuestFile> files = {{kGuestOrders, format_guest_orders(orders)}};
    if (!boot.kernel->config.empty()) {
        files.push_back({"boot/config-" + boot.kernel->release, boot.kernel->config});
    }
    const auto own_part = make_initramfs(files);
    if (!own_part) {
        return own_part.error();
    }
    const std::string image = init_image_ + *own_part;
    boot.image_sha256 = sha256_hex(image);
    std::error_code error;
    if (!fs::create_directory(boot.folder, error)) {
        return plain_error("mkdir", boot.folder.string(), error.message());
    }
    for (const auto& [path, bytes] : {std::pair(boot.files.kernel, &boot.kernel->image),
                                      std::pair(boot.files.initramfs, &image)}) {
        if (auto written = write_file(path, *bytes); !written) {
            return written;
        }
    }
    return make_channel_file(boot.files.channel);
}

Status VmExecutor::watch(Boot& boot, const CellRequest& request, const Tick& tick) {
    const auto cpu = one_cpu();
    if (!cpu) {
        return cpu.error();
    }
    const auto head = open_file(boot.files.channel, O_RDONLY);
    if (!head) {
        return head.error();
    }
    SupervisedCommand command =
        pinned(qemu_arguments(setup_.qemu.string(), boot.machine, boot.files), *cpu);
    command.output = boot.emulator_output;
    auto guardian = Guardian::start({.commands = {command},
                                     .remove_afterwards = {},
                                     .scratch_prefix = {},
                                     .outlived_by = &keeper_});
    if (!guardian) {
        return guardian.error();
    }
    const auto beats_now = [&head] {
        std::string bytes(kChannelHead, '\0');
        (void)::pread(head->get(), bytes.data(), bytes.size(), 0);
        return channel_beats(bytes);
    };
    const TimePoint begin = MonotonicClock::now();
    const TimePoint give_up = begin + request.timeout;
    TimePoint last_sign = begin;
    stop_.watch_load(guardian->event_fd());
    while (guardian->poll_exits().empty()) {
        if (guardian->gone()) {
            boot.conduct = CellConduct::lost;
            break;
        }
        (void)stop_.wait_until(std::min(MonotonicClock::now() + kTick, give_up));
        if (!tick()) {
            boot.conduct = CellConduct::interrupted;
            break;
        }
        const TimePoint now = MonotonicClock::now();
        if (const std::uint64_t beats = beats_now(); beats != boot.beats) {
            boot.beats = beats;
            last_sign = now;
        }
        const Duration patience = boot.beats == 0 ? setup_.boot_timeout : kLongestSilence;
        if (now - last_sign >= patience && guardian->poll_exits().empty()) {
            boot.end = GuestEnd::hung;
            break;
        }
        if (now >= give_up && guardian->poll_exits().empty()) {
            boot.conduct = CellConduct::timed_out;
            break;
        }
    }
    stop_.watch_load(-1);
    boot.beats = beats_now();
    if (!guardian->poll_exits().empty()) {
        boot.exit_text = guardian->poll_exits().front().text();
    }
    // A guest has nothing to save: what it did not hand over is lost either way.
    if (auto stopped = guardian->stop(0s, SIGKILL); !stopped && boot.conduct != CellConduct::lost) {
        return stopped;
    }
    return {};
}

CellExecution VmExecutor::judge(const Boot& boot, const CellRequest& request) const {
    CellExecution execution;
    execution.conduct = boot.conduct;
    const std::string console = boot.console();
    execution.details["guest"] = {{"kernel_sha256", boot.kernel->sha256},
                                  {"image_sha256", boot.image_sha256},
                                  {"command_line", kernel_command_line(boot.machine)},
                                  {"console", console_tail(console, kConsoleLines)}};
    if (boot.conduct != CellConduct::finished) {
        return execution;
    }
    const auto memory = read_file(boot.files.channel);
    const auto content = memory ? read_channel(*memory) : Result<ChannelContent>(memory.error());
    if (!content || boot.end == GuestEnd::hung) {
        execution.conduct = boot.cell_began() ? CellConduct::broke : CellConduct::never_ran;
        execution.reason =
            why_no_results(boot.end, boot.beats > 0, console,
                           file_tail(boot.emulator_output, kOutputTail), boot.exit_text);
        return execution;
    }
    execution.exit_code = content->exit_status;
    const auto text = [&content](const char* name) {
        const std::string* frame = content->find(name);
        return frame != nullptr ? *frame : std::string();
    };
    execution.output_tail = console_tail(text(kOutputFrame), kConsoleLines);
    while (execution.output_tail.ends_with('\n')) {
        execution.output_tail.pop_back();
    }
    execution.taints = kernel_log_taints(text(kLogFrame));
    if (const std::string release = recorded_kernel(*content);
        !release.empty() && release != boot.kernel->release) {
        execution.taints.push_back(fmt::format("the kernel calls itself {}, and its image {}",
                                               release, boot.kernel->release));
    }
    if (content->exit_status > 128 && !execution.taints.empty()) {
        execution.conduct = CellConduct::broke;
        execution.reason =
            fmt::format("the cell's process was killed by {}; {}",
                        signal_name(content->exit_status - 128), execution.taints.front());
        return execution;
    }
    std::string missing = text(kErrorFrame);
    if (const Status taken = take_bundle(*content, request.bundle); !taken) {
        missing = taken.error().message();
    }
    if (!missing.empty()) {
        execution.conduct = CellConduct::broke;
        execution.reason = "the guest's results could not be taken over: " + missing;
        if (!execution.output_tail.empty()) {
            execution.reason += "; it said: " + execution.output_tail;
        }
        execution.output_tail.clear();
    }
    return execution;
}

Result<CellExecution> VmExecutor::run(const CellRequest& request, const Tick& tick) {
    Boot boot;
    Status done = prepare(boot, request);
    if (done) {
        done = watch(boot, request, tick);
    }
    Result<CellExecution> execution =
        done ? Result<CellExecution>(judge(boot, request)) : Result<CellExecution>(done.error());
    if (execution) {
        execution->boot = ++boots_;
    }
    std::error_code ignored;
    fs::remove_all(boot.folder, ignored);
    return execution;
}

nlohmann::ordered_json VmExecutor::description() const {
    nlohmann::ordered_json machine = nlohmann::ordered_json::object();
    for (const auto& [key, value] : guest_variant(setup_.machine)) {
        machine[key] = value;
    }
    machine["memory"] = format_size(setup_.machine.memory);
    nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
    for (const KernelFile& kernel : setup_.kernels) {
        kernels.push_back({{"given", kernel.given},
                           {"release", kernel.release},
                           {"version", kernel.version},
                           {"sha256", kernel.sha256},
                           {"config_known", !kernel.config.empty()}});
    }
    return {{"qemu", setup_.qemu_version},
            {"accelerator", "tcg"},
            {"machine", std::move(machine)},
            {"init_sha256", init_sha256_},
            {"kernels", std::move(kernels)}};
}

Result<std::string> qemu_version(const fs::path& qemu, const Guardian& keeper) {
    constexpr Duration kPatience = 30s;
    SupervisedCommand command;
    command.argv = {qemu.string(), "--version"};
    command.output = keeper.scratch() / "qemu-version";
    auto guardian = Guardian::start({.commands = {command},
                                     .remove_afterwards = {},
                                     .scratch_prefix = {},
                                     .outlived_by = &keeper});
    if (!guardian) {
        return guardian.error();
    }
    const TimePoint give_up = MonotonicClock::now() + kPatience;
    while (guardian->poll_exits().empty() && MonotonicClock::now() < give_up) {
        ::usleep(10'000);
    }
    const bool clean = !guardian->poll_exits().empty() && guardian->poll_exits().front().clean();
    if (auto stopped = guardian->stop(0s); !stopped) {
        return stopped.error();
    }
    const std::string text = read_file(command.output).optional().value_or("");
    std::error_code ignored;
    fs::remove(command.output, ignored);
    if (!clean || text.empty()) {
        return plain_error("run", qemu.string() + " --version", "it failed: " + text);
    }
    return text.substr(0, text.find('\n'));
}

Result<fs::path> find_guest_program() {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    if (error) {
        return plain_error("find", "bench-static", error.message());
    }
    const fs::path here = self.parent_path();
    const std::array places = {here / "bench-static",
                               here.parent_path() / "libexec" / "bench" / "bench-static"};
    for (const fs::path& place : places) {
        if (fs::is_regular_file(place, error)) {
            return place;
        }
    }
    return plain_error("find", "bench-static",
                       fmt::format("guests run it, and it is neither {} nor {}: build it too",
                                   places[0].string(), places[1].string()));
}

}  // namespace bench
