#include "app/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/exit_codes.h"

using testing::ElementsAre;

namespace bench {
namespace {

TEST(CommandLineWords, ANegativeNumberStaysWithItsOption) {
    EXPECT_THAT(join_negative_values({"latt", "-c", "-1", "--duration", "-2s", "--quiet", "-q"}),
                ElementsAre("latt", "-c-1", "--duration=-2s", "--quiet", "-q"));
    EXPECT_THAT(join_negative_values({"--clients=4", "-1"}), ElementsAre("--clients=4", "-1"));
    EXPECT_THAT(join_negative_values({"-1"}), ElementsAre("-1"));
}

TEST(ExitCodes, FailedRowsOutweighMissingOnes) {
    RunCounts counts;
    counts.planned = 3;
    counts.ok = 3;
    EXPECT_EQ(exit_code_for(counts, false), 0);
    counts.not_run = 1;
    EXPECT_EQ(exit_code_for(counts, false), 0);
    EXPECT_EQ(exit_code_for(counts, true), 5);
    counts.failed = 1;
    EXPECT_EQ(exit_code_for(counts, true), 6);
    RunCounts nothing;
    nothing.planned = nothing.not_run = 3;
    EXPECT_EQ(exit_code_for(nothing, false), 5);
    RunCounts doubtful;
    doubtful.planned = doubtful.tainted = 3;
    EXPECT_EQ(exit_code_for(doubtful, true), 0);
}

}  // namespace
}  // namespace bench
