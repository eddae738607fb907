#include "vm/guest_round.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

TEST(Majority, IsTheFirstOfTwoThatAgree) {
    EXPECT_EQ(majority({"a"}), 0U);
    EXPECT_EQ(majority({"a", "a"}), 0U);
    EXPECT_EQ(majority({"a", "b", "a"}), 0U);
    EXPECT_EQ(majority({"a", "b", "b"}), 1U);
}

TEST(Majority, IsNoneWhenAllDiffer) {
    EXPECT_EQ(majority({"a", "b"}), std::nullopt);
    EXPECT_EQ(majority({"a", "b", "c"}), std::nullopt);
    EXPECT_EQ(majority({}), std::nullopt);
}

GuestTask task(std::size_t cells) {
    static const KernelFile kernel = [] {
        KernelFile file;
        file.release = "6.1";
        return file;
    }();
    GuestTask task;
    task.kernel = &kernel;
    task.cells.resize(cells, {"exec", "latt"});
    return task;
}

/// A guest that handed over `whole` cells.
GuestRemains remains(std::size_t whole, std::uint64_t beats) {
    GuestRemains left;
    left.beats = beats;
    for (std::size_t i = 0; i < whole; ++i) {
        const std::string cell = std::to_string(i) + "/";
        left.content.frames.emplace_back(cell + "bundle/run.json", "{}");
        left.content.frames.emplace_back(cell + "bundle/../evil", "x");
        left.content.frames.emplace_back(cell + "kernel-log", "");
        left.content.frames.emplace_back(cell + "status", "0");
    }
    return left;
}

TEST(GuestAnswers, EachWholeCellHasOne) {
    const auto answers = read_answers(task(2), remains(2, 20));
    ASSERT_EQ(answers.size(), 2U);
    EXPECT_EQ(answers[1].execution.conduct, CellConduct::finished);
    ASSERT_EQ(answers[1].bundle.size(), 1U);
    EXPECT_EQ(answers[1].bundle[0].first, "run.json");
    EXPECT_EQ(answers[0].digest(), answers[1].digest());
}

TEST(GuestAnswers, BehindABrokenCellThereAreNone) {
    GuestRemains left = remains(1, 20);
    left.console = "[ 1.0] Kernel panic - not syncing: sysrq";
    const auto answers = read_answers(task(4), left);
    ASSERT_EQ(answers.size(), 2U);
    EXPECT_EQ(answers[0].execution.conduct, CellConduct::finished);
    EXPECT_EQ(answers[1].execution.conduct, CellConduct::broke);
    EXPECT_NE(answers[1].execution.reason.find("Kernel panic"), std::string::npos);
    EXPECT_NE(answers[0].digest(), answers[1].digest());
}

TEST(GuestAnswers, AGuestThatNeverCameUpAnswersForAllItsCells) {
    for (const auto& answer : read_answers(task(3), remains(0, 0))) {
        EXPECT_EQ(answer.execution.conduct, CellConduct::never_ran);
    }
    EXPECT_EQ(read_answers(task(3), remains(0, 0)).size(), 3U);
    EXPECT_EQ(read_answers(task(3), remains(0, 20)).size(), 1U);
}

}  // namespace
}  // namespace bench
