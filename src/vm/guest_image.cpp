#include "vm/guest_image.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "common/gzip.h"
#include "vm/archive_handle.h"

namespace bench {
namespace {

/// Every entry has the same time, so that no clock gets into the bytes.
constexpr std::time_t kTime = 1'767'225'600;  // 2026-01-01T00:00:00Z

la_ssize_t append_to(archive* /*writer*/, void* text, const void* bytes, std::size_t size) {
    static_cast<std::string*>(text)->append(static_cast<const char*>(bytes), size);
    return static_cast<la_ssize_t>(size);
}

class CpioWriter {
  public:
    CpioWriter() : writer_(archive_write_new(), &archive_write_free) {}

    Status open(std::string& to) {
        archive_write_set_format_cpio_newc(writer_.get());
        archive_write_set_bytes_in_last_block(writer_.get(), 1);
        return check(
            archive_write_open2(writer_.get(), &to, nullptr, &append_to, nullptr, nullptr));
    }

    Status add(const std::string& path, unsigned type, unsigned permissions,
               const std::string& content) {
        const ArchiveEntry entry(archive_entry_new(), &archive_entry_free);
        archive_entry_set_pathname(entry.get(), path.c_str());
        archive_entry_set_filetype(entry.get(), type);
        archive_entry_set_perm(entry.get(), permissions);
        archive_entry_set_uid(entry.get(), 0);
        archive_entry_set_gid(entry.get(), 0);
        archive_entry_set_mtime(entry.get(), kTime, 0);
        archive_entry_set_nlink(entry.get(), type == AE_IFDIR ? 2 : 1);
        archive_entry_set_ino64(entry.get(), ++inodes_);
        archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
        if (auto headed = check(archive_write_header(writer_.get(), entry.get())); !headed) {
            return headed;
        }
        const la_ssize_t put = archive_write_data(writer_.get(), content.data(), content.size());
        return check(put == static_cast<la_ssize_t>(content.size()) ? ARCHIVE_OK : ARCHIVE_FATAL);
    }

    Status close() { return check(archive_write_close(writer_.get())); }

  private:
    Status check(int status) {
        if (status == ARCHIVE_OK) {
            return {};
        }
        return plain_error("write", "the guest's image", archive_complaint(writer_.get()));
    }

    ArchiveWriter writer_;
    la_int64_t inodes_ = 0;
};

}  // namespace

Result<std::string> make_initramfs(const std::vector<GuestFile>& files) {
    std::map<std::string, const GuestFile*> entries;  // nullptr: a folder
    for (const GuestFile& file : files) {
        for (auto folder = std::filesystem::path(file.path).parent_path(); !folder.empty();
             folder = folder.parent_path()) {
            entries.emplace(folder.string(), nullptr);
        }
        if (!entries.emplace(file.path, &file).second) {
            return plain_error("write", "the guest's image", file.path + " is there twice");
        }
    }
    std::string cpio;
    CpioWriter writer;
    if (auto opened = writer.open(cpio); !opened) {
        return opened.error();
    }
    // In the map's order a folder comes before what it holds.
    for (const auto& [path, file] : entries) {
        const bool runs = file == nullptr || file->executable;
        const auto added = writer.add(path, file == nullptr ? AE_IFDIR : AE_IFREG,
                                      runs ? 0755 : 0644, file == nullptr ? "" : file->content);
        if (!added) {
            return added.error();
        }
    }
    if (auto closed = writer.close(); !closed) {
        return closed.error();
    }
    return gzip_member(cpio);
}

}  // namespace bench
