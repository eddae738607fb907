#include "vm/kernel_package.h"

#include <array>
#include <string_view>

#include "vm/archive_handle.h"

namespace bench {
namespace {

Error refuse(const std::filesystem::path& path, std::string why) {
    return plain_error("read", path.string(), std::move(why));
}

/// The rest of the entry that the reader stands at.
Result<std::string> entry_bytes(archive* reader, const std::filesystem::path& path) {
    std::string bytes;
    std::array<char, 1U << 16U> part;
    while (true) {
        const la_ssize_t got = archive_read_data(reader, part.data(), part.size());
        if (got < 0) {
            return refuse(path, archive_complaint(reader));
        }
        if (got == 0) {
            return bytes;
        }
        bytes.append(part.data(), static_cast<std::size_t>(got));
    }
}

/// The tar file inside, still packed: data.tar.xz, .zst, .gz or none.
Result<std::string> data_member(const std::filesystem::path& path) {
    const ArchiveReader reader(archive_read_new(), &archive_read_free);
    archive_read_support_format_ar(reader.get());
    constexpr std::size_t kBlock = 1U << 16U;
    if (archive_read_open_filename(reader.get(), path.c_str(), kBlock) != ARCHIVE_OK) {
        return refuse(path, "not a Debian package: " + archive_complaint(reader.get()));
    }
    archive_entry* entry = nullptr;
    while (archive_read_next_header(reader.get(), &entry) == ARCHIVE_OK) {
        const char* name = archive_entry_pathname(entry);
        if (name != nullptr && std::string_view(name).starts_with("data.tar")) {
            return entry_bytes(reader.get(), path);
        }
    }
    return refuse(path, "not a Debian package: it has no data.tar");
}

}  // namespace

Result<KernelPackage> read_kernel_package(const std::filesystem::path& path) {
    auto data = data_member(path);
    if (!data) {
        return data.error();
    }
    const ArchiveReader reader(archive_read_new(), &archive_read_free);
    archive_read_support_filter_all(reader.get());
    archive_read_support_format_tar(reader.get());
    const std::string& packed = *data;
    if (archive_read_open_memory(reader.get(), packed.data(), packed.size()) != ARCHIVE_OK) {
        return refuse(path, archive_complaint(reader.get()));
    }
    KernelPackage package;
    archive_entry* entry = nullptr;
    int status = ARCHIVE_OK;
    // Both stand near its beginning: the modules behind them are not unpacked.
    while ((package.image.empty() || package.config.empty()) &&
           (status = archive_read_next_header(reader.get(), &entry)) == ARCHIVE_OK) {
        const char* raw_name = archive_entry_pathname(entry);
        std::string_view name = raw_name != nullptr ? raw_name : "";
        name.remove_prefix(name.starts_with("./") ? 2 : 0);
        std::string* to = name.starts_with("boot/vmlinuz-")  ? &package.image
                          : name.starts_with("boot/config-") ? &package.config
                                                             : nullptr;
        if (to == nullptr || archive_entry_filetype(entry) != AE_IFREG) {
            continue;
        }
        auto bytes = entry_bytes(reader.get(), path);
        if (!bytes) {
            return bytes.error();
        }
        *to = std::move(*bytes);
    }
    if (status != ARCHIVE_OK && status != ARCHIVE_EOF) {
        return refuse(path, archive_complaint(reader.get()));
    }
    if (package.image.empty()) {
        return refuse(path, "a package without a kernel (boot/vmlinuz-...)");
    }
    return package;
}

}  // namespace bench
