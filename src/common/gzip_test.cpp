#include "common/gzip.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "common/file.h"
#include "common/testing/temp_folder.h"

namespace bench {
namespace {

using testing::TempFolder;

/// Text that does not fit the buffers and hardly compresses.
std::string long_text() {
    std::string text;
    std::uint32_t state = 1;
    while (text.size() < 3'000'000) {
        state = state * 1664525U + 1013904223U;
        text += std::to_string(state) + "\n";
    }
    return text;
}

TEST(Gzip, AStreamedMemberReadsBackWhole) {
    const TempFolder folder;
    const auto path = folder / "member.gz";
    const std::string text = long_text();
    auto file = open_file(path, O_WRONLY | O_CREAT);
    ASSERT_TRUE(file.ok());
    GzipWriter writer(file->get(), path);
    ASSERT_TRUE(writer.append(std::string_view(text).substr(0, 1'000'001)).ok());
    ASSERT_TRUE(writer.append(std::string_view(text).substr(1'000'001)).ok());
    ASSERT_TRUE(writer.finish().ok());
    const auto data = read_file(path);
    ASSERT_TRUE(data.ok());
    EXPECT_EQ(data->size(), writer.bytes());
    const auto back = gunzip(*data);
    ASSERT_TRUE(back.ok()) << back.error().message();
    EXPECT_EQ(*back, text);
}

TEST(Gzip, MembersOneAfterAnotherAreOneText) {
    const std::string two = gzip_member("first\n") + gzip_member("second\n");
    EXPECT_EQ(*gunzip(two), "first\nsecond\n");
    const auto first = first_gzip_member(two);
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(first->text, "first\n");
    EXPECT_EQ(first->size, gzip_member("first\n").size());
}

TEST(Gzip, APartialOrDamagedMemberIsAnError) {
    const std::string member = gzip_member("some text to be damaged\n");
    for (std::size_t size = 1; size < member.size(); ++size) {
        EXPECT_FALSE(gunzip(member.substr(0, size)).ok()) << size;
    }
    std::string damaged = member;
    damaged[damaged.size() - 6] ^= 1;  // the checksum
    EXPECT_FALSE(gunzip(damaged).ok());
    EXPECT_FALSE(gunzip("plain text").ok());
    EXPECT_FALSE(first_gzip_member("").ok());
}

}  // namespace
}  // namespace bench
