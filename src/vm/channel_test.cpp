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

TEST_F(Channel, GivesBackFramesByteForByteAndTheExitStatus) {
    const std::string binary("\0\xff\n\x1a odd", 8);
    ASSERT_TRUE(writer_.add("run.json", "{}"));
    ASSERT_TRUE(writer_.add("samples.csv.gz", binary));
    ASSERT_TRUE(writer_.add("empty", ""));
    writer_.end(5);
    const auto content = read_channel(memory());
    ASSERT_TRUE(content) << content.error().message();
    EXPECT_EQ(content->exit_status, 5);
    ASSERT_EQ(content->frames.size(), 3U);
    EXPECT_EQ(*content->find("run.json"), "{}");
    EXPECT_EQ(*content->find("samples.csv.gz"), binary);
    EXPECT_EQ(*content->find("empty"), "");
    EXPECT_EQ(content->find("other"), nullptr);
}

TEST_F(Channel, WithoutAnEndMarkerThereIsNothing) {
    ASSERT_TRUE(writer_.add("run.json", "{}"));
    const auto content = read_channel(memory());
    ASSERT_FALSE(content);
    EXPECT_NE(content.error().detail.find("no end marker"), std::string::npos);
    EXPECT_FALSE(read_channel(std::string(4096, '\0')));
    EXPECT_FALSE(read_channel(""));
}

TEST_F(Channel, EveryFlippedBitOfAFrameIsSeen) {
    ASSERT_TRUE(writer_.add("name", "data that matters"));
    writer_.end(0);
    ASSERT_TRUE(read_channel(memory()));
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
        if (content) {
            EXPECT_EQ(*content->find("name"), "data that matters") << at;
        }
        bytes_[at] ^= 1U;
    }
}

TEST_F(Channel, WhatDoesNotFitIsRefusedAndTheEndStillFits) {
    ASSERT_TRUE(writer_.add("a", std::string(2000, 'x')));
    const auto refused = writer_.add("b", std::string(2100, 'y'));
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find("hand over b"), std::string::npos);
    writer_.end(0);
    const auto content = read_channel(memory());
    ASSERT_TRUE(content);
    EXPECT_EQ(content->frames.size(), 1U);
}

TEST_F(Channel, TheHeartbeatIsReadFromTheHead) {
    EXPECT_EQ(channel_beats(memory().substr(0, kChannelHead)), 0U);
    writer_.beat();
    writer_.beat();
    EXPECT_EQ(channel_beats(memory().substr(0, kChannelHead)), 2U);
    EXPECT_EQ(channel_beats(""), 0U);
    EXPECT_EQ(channel_beats(std::string(kChannelHead, '\0')), 0U);
}

}  // namespace
}  // namespace bench
