#pragma once

namespace bench {

/// Names of the frames that a guest hands over.
inline constexpr const char* kBundleFrames = "bundle/";  ///< then the file's name
inline constexpr const char* kOutputFrame = "output";    ///< the end of what `bench exec` printed
inline constexpr const char* kLogFrame = "kernel-log";   ///< /dev/kmsg
inline constexpr const char* kErrorFrame = "error";      ///< why files are missing; empty: none is

}  // namespace bench
