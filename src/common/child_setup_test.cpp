#include "common/child_setup.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>

#include "common/testing/processes.h"

namespace bench {
namespace {

using ::testing::ElementsAre;

/// Descriptors of a child after `close` was given those it shall keep.
std::vector<int> left_open(const std::function<Status(std::vector<int>)>& close,
                           std::vector<int> keep) {
    testing::SharedValue<std::atomic<bool>> done;
    const pid_t child = ::fork();
    if (child == 0) {
        if (!close(std::move(keep))) {
            ::_exit(1);
        }
        *done = true;
        while (true) {
            ::pause();
        }
    }
    EXPECT_TRUE(testing::eventually([&] { return done->load(); }));
    std::vector<int> open = testing::open_fds(child);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    return open;
}

class CloseFds : public ::testing::Test {
  protected:
    void SetUp() override {
        for (const int fd : {20, 21, 25, 30}) {
            EXPECT_EQ(::dup2(STDERR_FILENO, fd), fd);
        }
    }
    void TearDown() override {
        for (const int fd : {20, 21, 25, 30}) {
            ::close(fd);
        }
    }
};

TEST_F(CloseFds, LeavesTheStandardOnesAndThoseNamed) {
    EXPECT_THAT(left_open(close_fds_except, {30, 21, 21, 1}), ElementsAre(0, 1, 2, 21, 30));
    EXPECT_THAT(left_open(close_fds_except, {}), ElementsAre(0, 1, 2));
}

TEST_F(CloseFds, DoesSoWithoutCloseRangeToo) {
    const auto by_listing = [](std::vector<int> keep) {
        std::sort(keep.begin(), keep.end());
        return close_listed_fds_except(keep);
    };
    EXPECT_THAT(left_open(by_listing, {30, 21}), ElementsAre(0, 1, 2, 21, 30));
}

TEST(DieWithParent, EndsAChildWhoseParentHadDiedBefore) {
    const pid_t child = ::fork();
    if (child == 0) {
        die_with_parent(::getppid() + 1);  // as if another had forked us and gone
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_NE(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace bench
