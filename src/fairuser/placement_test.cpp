#include "fairuser/placement.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace bench::fairuser {
namespace {

TEST(CheckDistinct, WantsAnAutogroupForEach) {
    EXPECT_TRUE(check_distinct({1, 2, 3}).ok());
    EXPECT_FALSE(check_distinct({1, 2, 1}).ok());
    EXPECT_FALSE(check_distinct({1, std::nullopt}).ok());
}

TEST(ReadBackProcess, TellsWhatThisOneTellsOfItself) {
    const auto own = read_back_self();
    const auto other = read_back_process(::getpid(), SystemRoot());
    ASSERT_TRUE(own && other);
    EXPECT_EQ(other->sched, own->sched);
    EXPECT_EQ(other->cpus_allowed, own->cpus_allowed);
    EXPECT_EQ(other->timer_slack_ns, own->timer_slack_ns);
}

TEST(SetNice, OfAProcessThatIsNotThereIsAnError) {
    const auto set = set_nice(0x7ffffff0, 5, "vatsa");
    ASSERT_FALSE(set);
    EXPECT_EQ(set.error().object, "user vatsa");
}

}  // namespace
}  // namespace bench::fairuser
