#include "vm/qemu_command.h"

#include <fmt/format.h>

namespace bench {
namespace {

/// QEMU ends the value of a suboption at a comma, unless it is doubled.
std::string suboption(const std::filesystem::path& path) {
    std::string doubled;
    for (const char c : path.string()) {
        doubled += c;
        if (c == ',') {
            doubled += ',';
        }
    }
    return doubled;
}

}  // namespace

std::string kernel_command_line(const GuestMachine& machine) {
    // quiet would hide warnings, and a panic at once ends QEMU through -no-reboot. Tests of the
    // kernel's ciphers would run beside the cell, and a random layout would differ with each boot.
    std::string line = "console=ttyS0 loglevel=5 panic=-1 nokaslr tsc=reliable cryptomgr.notests=1";
    // Several CPUs that start at once hang some kernels in virtual time: init brings the others
    // online.
    if (machine.vcpus > 1) {
        line += " maxcpus=1";
    }
    if (!machine.append.empty()) {
        line += " " + machine.append;
    }
    return line;
}

std::vector<std::string> qemu_arguments(const std::string& program, const GuestMachine& machine,
                                        const BootFiles& files) {
    std::vector<std::string> words = {program, "-nodefaults", "-no-user-config"};
    const auto add = [&words](std::initializer_list<std::string> more) {
        words.insert(words.end(), more);
    };
    if (machine.time == GuestTime::virtual_time) {
        add({"-accel", "tcg,thread=single", "-icount", "shift=1,sleep=off"});
        add({"-rtc", "base=2026-01-01T00:00:00,clock=vm"});
    } else {
        add({"-accel", "tcg", "-rtc", "base=utc"});
    }
    // Without RDRAND, which no seed governs.
    add({"-cpu", "qemu64", "-seed", "1"});
    add({"-m", fmt::format("{}M", machine.memory.bytes >> 20U)});
    add({"-smp", std::to_string(machine.vcpus)});
    add({"-display", "none", "-nic", "none", "-no-reboot"});
    add({"-chardev", "file,id=console,path=" + suboption(files.console)});
    add({"-serial", "chardev:console"});
    add({"-object", fmt::format("memory-backend-file,id=channel,share=on,size={},mem-path={}",
                                files.channel_bytes, suboption(files.channel))});
    add({"-device", "ivshmem-plain,memdev=channel"});
    add({"-kernel", files.kernel.string(), "-initrd", files.initramfs.string()});
    add({"-append", kernel_command_line(machine)});
    return words;
}

bool pauses(const GuestMachine& machine) {
    return machine.time == GuestTime::virtual_time && machine.vcpus > 1;
}

std::vector<std::pair<std::string, std::string>> guest_variant(const GuestMachine& machine) {
    std::vector<std::pair<std::string, std::string>> pairs = {
        {"time", machine.time == GuestTime::virtual_time ? "virtual" : "real"},
        {"vcpus", std::to_string(machine.vcpus)}};
    if (machine.memory != GuestMachine().memory) {
        pairs.emplace_back("memory", format_size(machine.memory));
    }
    if (!machine.append.empty()) {
        pairs.emplace_back("append", machine.append);
    }
    return pairs;
}

}  // namespace bench
