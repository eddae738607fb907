#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "common/result.h"

namespace bench {

/// A kernel that a guest can boot, in memory: what is measured is what was read, whatever happens
/// to the file.
struct KernelFile {
    std::string given;    ///< as on the command line
    std::string image;    ///< a bzImage
    std::string release;  ///< as `uname -r` will say, from the image's own header
    std::string version;  ///< the whole version text of that header
    std::string sha256;   ///< of `image`
    std::string config;   ///< what it was built with; empty when there is none beside it
};

/// Reads a bzImage or vmlinuz, a Debian kernel package (*.deb), a build tree (with
/// arch/x86/boot/bzImage) or a release found in `boot`. An Error says in one line why it is none of
/// these.
[[nodiscard]] Result<KernelFile> read_kernel(const std::string& given,
                                             const std::filesystem::path& boot = "/boot");

/// The version text in the header of a bzImage: "6.1.0-57-cloud-amd64 (...) #1 SMP ...". An Error
/// (object empty) when it is no bzImage of boot protocol 2.00 or later, or is cut short.
[[nodiscard]] Result<std::string> kernel_image_version(std::string_view image);

}  // namespace bench
