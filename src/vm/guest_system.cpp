#include "vm/guest_system.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cstring>
#include <filesystem>

#include "common/affinity.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/syscalls.h"

namespace bench {
namespace {

struct MountPoint {
    const char* type;
    const char* where;
    const char* data;
    bool needed;
};

constexpr std::array kMounts = {
    MountPoint{"proc", "/proc", nullptr, true},
    MountPoint{"sysfs", "/sys", nullptr, true},
    MountPoint{"devtmpfs", "/dev", nullptr, false},
    MountPoint{"tmpfs", "/dev/shm", "mode=1777", false},
    MountPoint{"tmpfs", "/tmp", "mode=1777", false},
    MountPoint{"tmpfs", "/run", "mode=755", false},
    MountPoint{"cgroup2", "/sys/fs/cgroup", nullptr, false},
    MountPoint{"debugfs", "/sys/kernel/debug", nullptr, false},
};

/// One write, as the kernel's own files want it.
Status put(const std::filesystem::path& path, std::string_view text) {
    const auto file = open_file(path, O_WRONLY);
    if (!file) {
        return file.error();
    }
    return write_text(file->get(), text, path);
}

std::string first_line(const std::filesystem::path& path) {
    const auto text = read_file(path);
    return text ? text->substr(0, text->find('\n')) : std::string();
}

}  // namespace

void guest_says(const std::string& text) {
    const std::string line = "bench: " + text + "\n";
    const Fd log(::open("/dev/kmsg", O_WRONLY | O_CLOEXEC));
    // An error's level, so that it gets past `quiet`.
    if (!log.valid() || !write_all(log.get(), ("<3>" + line).data(), line.size() + 3)) {
        (void)write_all(STDERR_FILENO, line.data(), line.size());
    }
}

Status mount_guest_filesystems() {
    for (const MountPoint& mount : kMounts) {
        ::mkdir(mount.where, 0755);
        if (::mount(mount.type, mount.where, mount.type, 0, mount.data) == 0) {
            continue;
        }
        const Error error = errno_error("mount", mount.where);
        // The kernel itself may have mounted it (CONFIG_DEVTMPFS_MOUNT).
        if (error.code == EBUSY) {
            continue;
        }
        if (mount.needed) {
            return error;
        }
        guest_says(error.message());
    }
    for (const char* controller : {"+cpu", "+cpuset"}) {
        if (const Status enabled = put("/sys/fs/cgroup/cgroup.subtree_control", controller);
            !enabled) {
            guest_says(enabled.error().message());
        }
    }
    return {};
}

void bring_loopback_up() {
    const Fd any(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq loopback{};
    std::memcpy(loopback.ifr_name, "lo", sizeof "lo");
    if (!any.valid() || ::ioctl(any.get(), SIOCGIFFLAGS, &loopback) != 0) {
        guest_says(errno_error("find", "the loopback interface").message());
        return;
    }
    loopback.ifr_flags = static_cast<short>(loopback.ifr_flags | IFF_UP);
    if (::ioctl(any.get(), SIOCSIFFLAGS, &loopback) != 0) {
        guest_says(errno_error("bring up", "the loopback interface").message());
    }
}

void settle_guest_defaults() {
    constexpr const char* kAutogroup = "/proc/sys/kernel/sched_autogroup_enabled";
    if (std::filesystem::exists(kAutogroup)) {
        if (const Status set = put(kAutogroup, "0"); !set) {
            guest_says(set.error().message());
        }
    }
}

Status bring_cpus_online(std::int64_t vcpus) {
    for (std::int64_t cpu = 1; cpu < vcpus; ++cpu) {
        const auto path = fmt::format("/sys/devices/system/cpu/cpu{}/online", cpu);
        if (auto on = put(path, "1"); !on) {
            return on;
        }
    }
    const auto online = online_cpus(SystemRoot());
    if (!online || std::ssize(online->cpus()) != vcpus) {
        return plain_error("bring online", fmt::format("{} CPUs", vcpus),
                           fmt::format("online are {}", online ? online->to_list() : "unknown"));
    }
    return {};
}

Result<std::span<volatile unsigned char>> map_host_channel() {
    std::error_code error;
    for (const auto& device : std::filesystem::directory_iterator("/sys/bus/pci/devices", error)) {
        if (first_line(device.path() / "vendor") != "0x1af4" ||
            first_line(device.path() / "device") != "0x1110") {
            continue;
        }
        if (auto enabled = put(device.path() / "enable", "1"); !enabled) {
            return enabled.error();
        }
        const auto bar = device.path() / "resource2";
        const auto file = open_file(bar, O_RDWR);
        if (!file) {
            return file.error();
        }
        const std::size_t size = std::filesystem::file_size(bar, error);
        void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file->get(), 0);
        if (memory == MAP_FAILED) {
            return errno_error("mmap", bar.string());
        }
        return std::span<volatile unsigned char>(static_cast<volatile unsigned char*>(memory),
                                                 size);
    }
    return plain_error("find", "/sys/bus/pci/devices", "no ivshmem device: the kernel has no PCI?");
}

}  // namespace bench
