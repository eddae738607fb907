#include "latt/workload.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include <array>
#include <cstring>
#include <vector>

#include "common/guest_pause.h"

namespace bench::latt {
namespace {

std::vector<std::byte> random_bytes(std::uint32_t seed, std::size_t size) {
    ClassicRandom random(seed);
    std::vector<std::byte> data(size);
    fill_random(random, data);
    return data;
}

// What zlib itself makes of the same bytes in one call at `level`.
std::size_t reference_size(const std::vector<std::byte>& data, int level) {
    std::vector<Bytef> output(compressBound(data.size()));
    uLongf size = output.size();
    const auto* input = reinterpret_cast<const Bytef*>(data.data());
    EXPECT_EQ(compress2(output.data(), &size, input, data.size(), level), Z_OK);
    return size;
}

TEST(ClassicRandom, DrawsWhatThePosixExampleDraws) {
    // The example's first values after srand(1).
    ClassicRandom random(1);
    EXPECT_EQ(random.next(), 16838U);
    EXPECT_EQ(random.next(), 5758U);
    EXPECT_EQ(random.next(), 10113U);
    EXPECT_EQ(random.next(), 17515U);
}

TEST(FillRandom, PutsFifteenBitsIntoEachWord) {
    const auto data = random_bytes(1, 4096);
    std::vector<std::uint32_t> words(1024);
    std::memcpy(words.data(), data.data(), data.size());
    EXPECT_EQ(words[0], 16838U);
    EXPECT_EQ(words[1], 5758U);
    EXPECT_THAT(words, testing::Each(testing::Le(0x7fffU)));
}

TEST(FillRandom, FillsARestThatIsNoWholeWord) {
    const auto whole = random_bytes(1, 8);
    const auto part = random_bytes(1, 7);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin()));
}

TEST(FillRandom, SameSeedSameBytesOtherSeedOtherBytes) {
    EXPECT_EQ(random_bytes(7, 65536), random_bytes(7, 65536));
    EXPECT_NE(random_bytes(7, 65536), random_bytes(8, 65536));
}

TEST(CompressRandom, IsLevelSevenOfTheSeedsBytes) {
    constexpr std::size_t size = 65536;
    const auto data = random_bytes(42, size);
    ClassicRandom random(42);
    const WorkResult result = compress_random(random, size);
    EXPECT_EQ(result.status, Z_OK);
    EXPECT_EQ(result.compressed, reference_size(data, 7));
    // The size tells this level from the others, or this test could not fail.
    EXPECT_NE(result.compressed, reference_size(data, 1));
}

TEST(CompressRandom, GoesOnWhereTheLastWorkEnded) {
    ClassicRandom worked(3);
    (void)compress_random(worked, 4096);
    ClassicRandom drawn(3);
    for (int i = 0; i < 1024; ++i) {
        drawn.next();
    }
    EXPECT_EQ(worked.next(), drawn.next());
}

TEST(CompressRandom, IsTheSameWorkWithPauses) {
    for (const std::size_t size :
         {std::size_t{1}, std::size_t{256}, std::size_t{257}, std::size_t{65536}}) {
        ClassicRandom without(3);
        const WorkResult plain = compress_random(without, size);
        workloads_pause = true;
        ClassicRandom with(3);
        const WorkResult paused = compress_random(with, size);
        workloads_pause = false;
        EXPECT_EQ(paused.status, Z_OK);
        EXPECT_EQ(paused.compressed, plain.compressed) << size;
        EXPECT_EQ(with.next(), without.next());
    }
}

TEST(CompressRandom, TakesTheSmallestWork) {
    ClassicRandom random(1);
    const WorkResult result = compress_random(random, 1);
    EXPECT_EQ(result.status, Z_OK);
    EXPECT_GT(result.compressed, 0U);
}

TEST(WorkMemory, CountsBothBuffers) {
    EXPECT_EQ(work_memory(0), 0U);
    EXPECT_GE(work_memory(65536), 2U * 65536U);
}

TEST(ZlibStatusText, NamesTheError) {
    EXPECT_STREQ(zlib_status_text(Z_MEM_ERROR), "Z_MEM_ERROR");
    EXPECT_STREQ(zlib_status_text(-99), "an unknown zlib error");
}

}  // namespace
}  // namespace bench::latt
