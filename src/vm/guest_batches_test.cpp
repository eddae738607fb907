#include "vm/guest_batches.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

using Batches = std::vector<std::vector<std::size_t>>;

/// Two kernels, `repetitions`, two cells each: index = repetition * 4 + kernel * 2 + cell.
std::vector<GuestCell> cells(std::int64_t repetitions) {
    std::vector<GuestCell> all;
    for (std::int64_t repetition = 1; repetition <= repetitions; ++repetition) {
        for (const char* kernel : {"a", "b"}) {
            for (int i = 0; i < 2; ++i) {
                all.push_back({all.size(), {{"--kernel", kernel}}, repetition});
            }
        }
    }
    return all;
}

TEST(GuestBatches, KernelsNeverShareABoot) {
    EXPECT_EQ(batch_cells(cells(2), Boots::once), (Batches{{0, 1, 4, 5}, {2, 3, 6, 7}}));
}

TEST(GuestBatches, RepetitionsAreDealtToTwoBoots) {
    EXPECT_EQ(batch_cells(cells(3), Boots::twice),
              (Batches{{0, 1, 4, 5}, {2, 3, 6, 7}, {8, 9}, {10, 11}}));
    EXPECT_EQ(batch_cells(cells(1), Boots::twice), (Batches{{0, 1}, {2, 3}}));
}

TEST(GuestBatches, ARepetitionOrACellMayHaveABootOfItsOwn) {
    EXPECT_EQ(batch_cells(cells(2), Boots::per_repetition),
              (Batches{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
    EXPECT_EQ(batch_cells(cells(1), Boots::per_cell), (Batches{{0}, {1}, {2}, {3}}));
    EXPECT_TRUE(batch_cells({}, Boots::twice).empty());
}

TEST(GuestBatches, NoBootHasMoreThanTheChannelHolds) {
    std::vector<GuestCell> many;
    for (std::size_t i = 0; i <= kMostCellsABoot; ++i) {
        many.push_back({i, {}, 1});
    }
    const auto batches = batch_cells(many, Boots::once);
    ASSERT_EQ(batches.size(), 2U);
    EXPECT_EQ(batches[0].size(), kMostCellsABoot);
    EXPECT_EQ(batches[1], std::vector<std::size_t>{kMostCellsABoot});
}

}  // namespace
}  // namespace bench
