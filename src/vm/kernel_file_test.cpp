#include "vm/kernel_file.h"

#include <gmock/gmock.h>

#include <fstream>

#include "common/testing/temp_folder.h"
#include "vm/archive_handle.h"
#include "vm/sha256.h"

namespace bench {
namespace {

using ::testing::HasSubstr;

/// A file that looks like a bzImage as far as its header goes.
std::string fake_image(const std::string& version) {
    std::string image(0x1000, '\0');
    image[0x1f1] = 3;     // setup sectors
    image[0x1f4] = 0x10;  // 16 x 16 bytes of kernel
    image.replace(0x202, 6, std::string("HdrS\x0f\x02", 6));
    image[0x20f] = 0x03;  // the version stands at 0x500
    image[0x211] = 1;     // loaded high
    image.replace(0x500, version.size(), version);
    return image;
}

void write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

/// An archive of the given format with these members.
std::string packed(int (*format)(archive*), int (*filter)(archive*),
                   const std::vector<std::pair<std::string, std::string>>& members) {
    std::string bytes(1U << 20U, '\0');
    std::size_t used = 0;
    const ArchiveWriter writer(archive_write_new(), &archive_write_free);
    format(writer.get());
    filter(writer.get());
    archive_write_open_memory(writer.get(), bytes.data(), bytes.size(), &used);
    for (const auto& [name, content] : members) {
        const ArchiveEntry entry(archive_entry_new(), &archive_entry_free);
        archive_entry_set_pathname(entry.get(), name.c_str());
        archive_entry_set_filetype(entry.get(), AE_IFREG);
        archive_entry_set_perm(entry.get(), 0644);
        archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
        archive_write_header(writer.get(), entry.get());
        archive_write_data(writer.get(), content.data(), content.size());
    }
    archive_write_close(writer.get());
    return bytes.substr(0, used);
}

std::string package_with(const std::vector<std::pair<std::string, std::string>>& members) {
    return packed(&archive_write_set_format_ar_svr4, &archive_write_add_filter_none,
                  {{"debian-binary", "2.0\n"},
                   {"control.tar.xz", "nothing"},
                   {"data.tar.xz", packed(&archive_write_set_format_gnutar,
                                          &archive_write_add_filter_xz, members)}});
}

class KernelFiles : public ::testing::Test {
  protected:
    [[nodiscard]] std::string refusal(const std::string& given) const {
        const auto kernel = read_kernel(given, folder_ / "boot");
        return kernel ? "accepted" : kernel.error().message();
    }
    testing::TempFolder folder_;
    const std::string image_ = fake_image("6.9-test+ (me@here) #1 SMP");
};

TEST_F(KernelFiles, AnImageTellsItsReleaseItself) {
    write(folder_ / "k,6.9 a/bzImage", image_);
    const auto kernel = read_kernel(folder_ / "k,6.9 a/bzImage", folder_ / "boot");
    ASSERT_TRUE(kernel) << kernel.error().message();
    EXPECT_EQ(kernel->release, "6.9-test+");
    EXPECT_EQ(kernel->version, "6.9-test+ (me@here) #1 SMP");
    EXPECT_EQ(kernel->sha256, sha256_hex(image_));
    EXPECT_EQ(kernel->image, image_);
    EXPECT_EQ(kernel->config, "");
}

TEST_F(KernelFiles, AReleaseIsLookedUpInBootAndBringsItsConfig) {
    write(folder_ / "boot/vmlinuz-6.9-test+", image_);
    write(folder_ / "boot/config-6.9-test+", "CONFIG_HZ=300\n");
    const auto kernel = read_kernel("6.9-test+", folder_ / "boot");
    ASSERT_TRUE(kernel) << kernel.error().message();
    EXPECT_EQ(kernel->config, "CONFIG_HZ=300\n");
}

TEST_F(KernelFiles, ABuildTreeIsItsImageAndConfig) {
    write(folder_ / "linux/arch/x86/boot/bzImage", image_);
    write(folder_ / "linux/.config", "CONFIG_HZ=1000\n");
    const auto kernel = read_kernel(folder_ / "linux", folder_ / "boot");
    ASSERT_TRUE(kernel) << kernel.error().message();
    EXPECT_EQ(kernel->config, "CONFIG_HZ=1000\n");
    write(folder_ / "unbuilt/Makefile", "");
    EXPECT_THAT(refusal(folder_ / "unbuilt"), HasSubstr("not a built kernel tree"));
}

TEST_F(KernelFiles, APackageIsUnpacked) {
    write(folder_ / "k.deb", package_with({{"./boot/System.map-6.9", "x"},
                                           {"./boot/config-6.9", "CONFIG_HZ=100\n"},
                                           {"./boot/vmlinuz-6.9", image_},
                                           {"./lib/modules/6.9/x.ko", "x"}}));
    const auto kernel = read_kernel(folder_ / "k.deb", folder_ / "boot");
    ASSERT_TRUE(kernel) << kernel.error().message();
    EXPECT_EQ(kernel->image, image_);
    EXPECT_EQ(kernel->config, "CONFIG_HZ=100\n");
    EXPECT_EQ(kernel->release, "6.9-test+");
}

TEST_F(KernelFiles, WhatIsNoKernelIsRefusedWithItsCause) {
    write(folder_ / "text", "#!/bin/sh\n");
    EXPECT_THAT(refusal(folder_ / "text"), HasSubstr("text: not a kernel image"));
    write(folder_ / "short", image_.substr(0, 0x820));
    EXPECT_THAT(refusal(folder_ / "short"), HasSubstr("cut short"));
    auto low = image_;
    low[0x211] = 0;
    write(folder_ / "low", low);
    EXPECT_THAT(refusal(folder_ / "low"), HasSubstr("not a bzImage"));
    auto nameless = image_;
    nameless[0x20f] = 0;
    write(folder_ / "nameless", nameless);
    EXPECT_THAT(refusal(folder_ / "nameless"), HasSubstr("no version"));
    write(folder_ / "text.deb", "not a package");
    EXPECT_THAT(refusal(folder_ / "text.deb"), HasSubstr("not a Debian package"));
    write(folder_ / "other.deb", package_with({{"./usr/bin/true", "x"}}));
    EXPECT_THAT(refusal(folder_ / "other.deb"), HasSubstr("a package without a kernel"));
    EXPECT_THAT(refusal("6.66"), HasSubstr("6.66: no such file, and no release in"));
    EXPECT_THAT(refusal(folder_ / "missing"), HasSubstr("no such file"));
    EXPECT_THAT(refusal(folder_ / "missing.deb"), HasSubstr("missing.deb"));
}

}  // namespace
}  // namespace bench
