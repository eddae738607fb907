#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bench {

/// Names of the frames that a guest hands over for each of its cells.
inline constexpr const char* kBundleFrames = "bundle/";  ///< then the file's name
inline constexpr const char* kOutputFrame = "output";    ///< the end of what `bench exec` printed
inline constexpr const char* kLogFrame = "kernel-log";   ///< what came to /dev/kmsg meanwhile
inline constexpr const char* kGapFrame = "vcpu-gap";     ///< JSON; with several CPUs alone
inline constexpr const char* kErrorFrame = "error";      ///< why files are missing; empty: none is
/// Exit status of `bench exec`. The last one: with it the cell is whole.
inline constexpr const char* kStatusFrame = "status";

/// The name of a cell's frame; cells count from 0 in their guest.
[[nodiscard]] inline std::string cell_frame(std::size_t cell, std::string_view name) {
    return std::to_string(cell) + "/" + std::string(name);
}

}  // namespace bench
