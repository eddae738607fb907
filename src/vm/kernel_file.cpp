#include "vm/kernel_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <system_error>

#include "common/file.h"
#include "vm/kernel_package.h"
#include "vm/sha256.h"

namespace bench {
namespace {

namespace fs = std::filesystem;

// The x86 boot protocol: places in the header.
constexpr std::size_t kSetupSectors = 0x1f1;
constexpr std::size_t kProtectedModeSize = 0x1f4;  // in units of 16 bytes
constexpr std::size_t kSignature = 0x202;
constexpr std::size_t kProtocol = 0x206;
constexpr std::size_t kVersionOffset = 0x20e;  // less 0x200
constexpr std::size_t kLoadFlags = 0x211;
constexpr std::size_t kHeaderEnd = 0x268;
constexpr std::size_t kSector = 512;

/// A little-endian number of `size` bytes.
std::uint64_t number_at(std::string_view image, std::size_t at, std::size_t size) {
    std::uint64_t number = 0;
    for (std::size_t i = size; i > 0; --i) {
        number = number << 8U | static_cast<unsigned char>(image[at + i - 1]);
    }
    return number;
}

Error no_kernel(std::string why) {
    return plain_error("", "", std::move(why));
}

bool is_folder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

/// The files of one kernel: its image and, when known, its configuration.
struct KernelPlace {
    fs::path image, config;
};

Result<KernelPlace> find_image(const std::string& given, const fs::path& boot) {
    const fs::path path = given;
    if (is_folder(path)) {
        const fs::path image = path / "arch/x86/boot/bzImage";
        if (!is_there(image)) {
            return no_kernel("a folder without arch/x86/boot/bzImage: not a built kernel tree");
        }
        return KernelPlace{image, path / ".config"};
    }
    if (is_there(path)) {
        // Beside vmlinuz-RELEASE distributions put config-RELEASE.
        const std::string name = path.filename().string();
        constexpr std::string_view kPrefix = "vmlinuz-";
        return KernelPlace{path,
                           name.starts_with(kPrefix)
                               ? path.parent_path() / ("config-" + name.substr(kPrefix.size()))
                               : fs::path()};
    }
    if (given.find('/') == std::string::npos && is_there(boot / ("vmlinuz-" + given))) {
        return KernelPlace{boot / ("vmlinuz-" + given), boot / ("config-" + given)};
    }
    return no_kernel(
        fmt::format("no such file, and no release in {} (allowed: a bzImage or vmlinuz, a Debian "
                    "kernel package, a built kernel tree, a release in {})",
                    boot.string(), boot.string()));
}

}  // namespace

Result<std::string> kernel_image_version(std::string_view image) {
    if (image.size() < kHeaderEnd || image.substr(kSignature, 4) != "HdrS") {
        return no_kernel("not a kernel image (no x86 boot header)");
    }
    if (number_at(image, kProtocol, 2) < 0x200 || (number_at(image, kLoadFlags, 1) & 1U) == 0) {
        return no_kernel("a kernel image of a kind that QEMU can't boot (not a bzImage)");
    }
    const std::uint64_t sectors = number_at(image, kSetupSectors, 1);
    const std::uint64_t setup = ((sectors == 0 ? 4 : sectors) + 1) * kSector;
    if (image.size() < setup + number_at(image, kProtectedModeSize, 4) * 16) {
        return no_kernel("a kernel image that is cut short");
    }
    const std::size_t begin = number_at(image, kVersionOffset, 2) + 0x200;
    const std::size_t end = image.find('\0', begin);
    if (begin == 0x200 || end == std::string_view::npos || end == begin || end >= setup) {
        return no_kernel("a kernel image whose header has no version");
    }
    return std::string(image.substr(begin, end - begin));
}

Result<KernelFile> read_kernel(const std::string& given, const fs::path& boot) {
    KernelFile kernel;
    kernel.given = given;
    if (given.ends_with(".deb")) {
        auto package = read_kernel_package(given);
        if (!package) {
            return package.error();
        }
        kernel.image = std::move(package->image);
        kernel.config = std::move(package->config);
    } else {
        const auto place = find_image(given, boot);
        if (!place) {
            return plain_error("read", given, place.error().detail);
        }
        auto image = read_file(place->image);
        if (!image) {
            return image.error();
        }
        kernel.image = std::move(*image);
        if (!place->config.empty() && is_there(place->config)) {
            auto config = read_file(place->config);
            if (!config) {
                return config.error();
            }
            kernel.config = std::move(*config);
        }
    }
    auto version = kernel_image_version(kernel.image);
    if (!version) {
        return plain_error("read", given, version.error().detail);
    }
    kernel.version = std::move(*version);
    kernel.release = kernel.version.substr(0, kernel.version.find(' '));
    kernel.sha256 = sha256_hex(kernel.image);
    return kernel;
}

}  // namespace bench
