#include "vm/guest_image.h"

#include <gmock/gmock.h>

#include "common/gzip.h"
#include "vm/archive_handle.h"

namespace bench {
namespace {

using ::testing::ElementsAre;

/// Names of the entries, as another reader sees them; folders end in a slash.
std::vector<std::string> names(const std::string& image) {
    const ArchiveReader reader(archive_read_new(), &archive_read_free);
    archive_read_support_filter_gzip(reader.get());
    archive_read_support_format_cpio(reader.get());
    EXPECT_EQ(archive_read_open_memory(reader.get(), image.data(), image.size()), ARCHIVE_OK);
    std::vector<std::string> found;
    archive_entry* entry = nullptr;
    while (archive_read_next_header(reader.get(), &entry) == ARCHIVE_OK) {
        found.emplace_back(archive_entry_pathname(entry));
        found.back() += archive_entry_filetype(entry) == AE_IFDIR ? "/" : "";
        EXPECT_EQ(archive_entry_uid(entry), 0);
        EXPECT_EQ(archive_entry_mtime(entry), 1'767'225'600);
    }
    return found;
}

const std::vector<GuestFile> kFiles = {{"init", std::string(100'000, 'i'), true},
                                       {"boot/config-6.1", "CONFIG_HZ=250\n"},
                                       {"bench/orders.json", "{}"}};

TEST(GuestImage, HoldsFilesAndTheirFoldersSorted) {
    const auto image = make_initramfs(kFiles);
    ASSERT_TRUE(image) << image.error().message();
    EXPECT_THAT(names(*image),
                ElementsAre("bench/", "bench/orders.json", "boot/", "boot/config-6.1", "init"));
    const auto cpio = gunzip(*image);
    ASSERT_TRUE(cpio);
    EXPECT_TRUE(cpio->starts_with("070701"));
}

TEST(GuestImage, TheSameFilesGiveTheSameBytesInAnyOrder) {
    const auto image = make_initramfs(kFiles);
    const auto again = make_initramfs({kFiles[2], kFiles[0], kFiles[1]});
    ASSERT_TRUE(image && again);
    EXPECT_EQ(*image, *again);
    auto other = kFiles;
    other[2].content = "[]";
    EXPECT_NE(*image, *make_initramfs(other));
}

TEST(GuestImage, TheGzipHeaderHasNeitherNameNorTime) {
    const auto image = make_initramfs(kFiles);
    ASSERT_TRUE(image);
    EXPECT_EQ(image->substr(0, 8), std::string("\x1f\x8b\x08\0\0\0\0\0", 8));
}

TEST(GuestImage, ANameTwiceIsRefused) {
    const auto image = make_initramfs({{"init", "a"}, {"init", "b"}});
    ASSERT_FALSE(image);
    EXPECT_NE(image.error().message().find("init is there twice"), std::string::npos);
}

TEST(GuestOrders, AreReadBackAsWritten) {
    const GuestOrders orders = {
        5000, 100, 2, {{"exec", "latt", "--load=sh -c \"a, b\"", "--x=;\n"}, {"exec", "y"}}};
    const auto read = parse_guest_orders(format_guest_orders(orders));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->settle_ms, 5000);
    EXPECT_EQ(read->rest_ms, 100);
    EXPECT_EQ(read->vcpus, 2);
    EXPECT_EQ(read->cells, orders.cells);
    for (const char* text : {"", "{}", "[]", R"({"settle_ms":1,"rest_ms":1,"vcpus":1,"cells":[1]})",
                             R"({"settle_ms":"1","rest_ms":1,"vcpus":1,"cells":[]})"}) {
        EXPECT_FALSE(parse_guest_orders(text)) << text;
    }
}

}  // namespace
}  // namespace bench
