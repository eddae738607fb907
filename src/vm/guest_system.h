#pragma once

#include <span>
#include <string>

#include "common/result.h"

namespace bench {

/// Mounts proc, sysfs, devtmpfs, a tmpfs on /tmp and /run, cgroup v2 with cpu and cpuset, and
/// debugfs. What a kernel does not have is told on the console and left out; only without proc and
/// sysfs there is an Error.
[[nodiscard]] Status mount_guest_filesystems();

/// Brings the loopback interface up, which a kernel leaves down. Without it, or without networking,
/// that is told on the console: tests that talk over it say themselves that they can't.
void bring_loopback_up();

/// Settings whose defaults differ between kernels are set, so that it is not they that are
/// compared: no grouping by session.
void settle_guest_defaults();

/// Brings the CPUs 1 to `vcpus` - 1 online, which the kernel was told not to start itself. An Error
/// when not exactly `vcpus` are online then.
[[nodiscard]] Status bring_cpus_online(std::int64_t vcpus);

/// The memory that guest and host share (the device's BAR), mapped. Errors: there is no such
/// device.
[[nodiscard]] Result<std::span<volatile unsigned char>> map_host_channel();

/// A line on the console and in the kernel's log.
void guest_says(const std::string& text);

}  // namespace bench
