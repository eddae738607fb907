#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/result.h"

namespace bench {

/// A file of an initramfs. Folders on the way to it are made.
struct GuestFile {
    std::string path;  ///< without a slash in front: "boot/config-6.1"
    std::string content;
    bool executable = false;
};

/// A cpio archive (newc) in one gzip member: fixed times, owner 0, inodes counted from 1, names
/// sorted. The same files give the same bytes, in whatever order they come. The kernel takes
/// several one after another.
[[nodiscard]] Result<std::string> make_initramfs(const std::vector<GuestFile>& files);

/// What a guest's first process is told, in the file kGuestOrders.
struct GuestOrders {
    std::int64_t settle_ms = 0;  ///< rest before the first cell begins
    std::int64_t rest_ms = 0;    ///< rest between two cells
    std::int64_t vcpus = 1;      ///< to be online; with more than one their gaps are measured
    /// Arguments of `bench` for each cell, from "exec" on, without --bundle.
    std::vector<std::vector<std::string>> cells;
};
inline constexpr const char* kGuestOrders = "bench/orders.json";

[[nodiscard]] std::string format_guest_orders(const GuestOrders& orders);
[[nodiscard]] Result<GuestOrders> parse_guest_orders(const std::string& text);

}  // namespace bench
