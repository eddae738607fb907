#include "vm/channel.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

class Channel : public ::testing::Test {
  protected:
    [[nodiscard]] std::string_view memory() const {
        return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
    }
    std::vector<unsigned char> bytes_ = std::vector<unsigned char>(4096);
    ChannelWriter writer_{bytes_};
};

TEST_F(Channel, GivesBackFramesByteForByte) {
    const std::string binary("\0\xff\n\x1a odd", 8);
    ASSERT_TRUE(writer_.add("run.json", "{}"));
    ASSERT_TRUE(writer_.add("samples.csv.gz", binary));
    ASSERT_TRUE(writer_.add("empty", ""));
    writer_.end();
    const auto content = read_channel(memory());
    EXPECT_EQ(content.damage, "");
    ASSERT_EQ(content.frames.size(), 3U);
    EXPECT_EQ(*content.find("run.json"), "{}");
    EXPECT_EQ(*content.find("samples.csv.gz"), binary);
    EXPECT_EQ(*content.find("empty"), "");
    EXPECT_EQ(content.find("other"), nullptr);
}

TEST_F(Channel, WhatCameBeforeAGuestBrokeDownIsThere) {
    ASSERT_TRUE(writer_.add("run.json", "{}"));
    const auto content = read_channel(memory());
    EXPECT_NE(content.damage.find("no end marker"), std::string::npos);
    EXPECT_EQ(content.frames.size(), 1U);
    for (const std::string& nothing : {std::string(4096, '\0'), std::string()}) {
        EXPECT_TRUE(read_channel(nothing).frames.empty());
        EXPECT_NE(read_channel(nothing).damage, "");
    }
}

TEST_F(Channel, EveryFlippedBitOfAFrameIsSeen) {
    ASSERT_TRUE(writer_.add("name", "data that matters"));
    writer_.end();
    ASSERT_EQ(read_channel(memory()).damage, "");
    const std::size_t frame = 24 + 8 + 24;
    for (std::size_t at = kChannelHead; at < kChannelHead + frame; ++at) {
        const bool padding =
            (at >= kChannelHead + 28 && at < kChannelHead + 32) || at >= kChannelHead + 32 + 17;
        if (padding) {
            continue;
        }
        bytes_[at] ^= 1U;
        const auto content = read_channel(memory());
        // A frame's kind may turn a file into nothing known, never into another file's bytes.
        const std::string* data = content.find("name");
        EXPECT_TRUE(data == nullptr || *data == "data that matters") << at;
        EXPECT_TRUE(data != nullptr || !content.damage.empty()) << at;
        bytes_[at] ^= 1U;
    }
}

TEST_F(Channel, WhatDoesNotFitIsRefusedAndTheEndStillFits) {
    ASSERT_TRUE(writer_.add("a", std::string(2000, 'x')));
    const auto refused = writer_.add("b", std::string(2100, 'y'));
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find("hand over b"), std::string::npos);
    writer_.end();
    const auto content = read_channel(memory());
    EXPECT_EQ(content.damage, "");
    EXPECT_EQ(content.frames.size(), 1U);
}

TEST_F(Channel, SignsOfLifeAreReadFromTheHead) {
    EXPECT_EQ(channel_signs(memory().substr(0, kChannelHead)).beats, 0U);
    writer_.beat();
    writer_.beat();
    writer_.cell_done();
    EXPECT_EQ(channel_signs(memory().substr(0, kChannelHead)).beats, 2U);
    EXPECT_EQ(channel_signs(memory().substr(0, kChannelHead)).cells, 1U);
    EXPECT_EQ(channel_signs("").beats, 0U);
    EXPECT_EQ(channel_signs(std::string(kChannelHead, '\0')).cells, 0U);
}

}  // namespace
}  // namespace bench
