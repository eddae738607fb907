#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <fstream>

#include "common/guardian.h"
#include "common/testing/processes.h"
#include "common/testing/scoped_syscalls.h"

namespace bench {
namespace {

using testing::eventually;
using testing::file_text;
using ::testing::HasSubstr;
using testing::is_alive;
using testing::ScopedSyscalls;
using testing::SharedValue;
using testing::TemporaryFolder;

void write_file(const std::filesystem::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

Result<Guardian> guard(std::vector<FileContent> files, std::vector<int> keep_fds = {}) {
    Guardian::Options options;
    options.restore_afterwards = std::move(files);
    options.keep_fds = std::move(keep_fds);
    return Guardian::start(std::move(options));
}

/// Two files of a fixture for the kernel's.
class RestoringGuardian : public ::testing::Test {
  protected:
    RestoringGuardian() {
        write_file(a_, "old a\n");
        write_file(b_, "old b\n");
    }
    [[nodiscard]] std::vector<FileContent> old() const {
        return {{a_, "old a\n"}, {b_, "old b\n"}};
    }
    [[nodiscard]] bool both_old() const {
        return file_text(a_) == "old a\n" && file_text(b_) == "old b\n";
    }

    TemporaryFolder folder_;
    std::filesystem::path a_ = folder_.path() / "a";
    std::filesystem::path b_ = folder_.path() / "b";
};

TEST_F(RestoringGuardian, WritesBackWhenItIsStopped) {
    auto guardian = guard(old());
    ASSERT_TRUE(guardian.ok()) << guardian.error().message();
    write_file(a_, "new and longer\n");
    EXPECT_TRUE(guardian->stop(Duration::zero()).ok());
    EXPECT_TRUE(both_old());
}

TEST_F(RestoringGuardian, WritesBackInReverseOrder) {
    // Both write one file: the first in the list is the last to be written.
    auto guardian = guard({{a_, "first"}, {a_, "second"}});
    ASSERT_TRUE(guardian.ok());
    EXPECT_TRUE(guardian->stop(Duration::zero()).ok());
    EXPECT_EQ(file_text(a_), "first");
}

TEST_F(RestoringGuardian, WritesBackWhenItsOwnerIsKilled) {
    SharedValue<std::atomic<bool>> changed;
    const pid_t owner = ::fork();
    if (owner == 0) {
        const auto guardian = guard(old());
        write_file(a_, "new a\n");
        write_file(b_, "new b\n");
        *changed = guardian.ok();
        while (true) {
            ::pause();
        }
    }
    ASSERT_TRUE(eventually([&] { return changed->load(); }));
    EXPECT_EQ(file_text(b_), "new b\n");
    ::kill(owner, SIGKILL);
    ::waitpid(owner, nullptr, 0);
    EXPECT_TRUE(eventually([&] { return both_old(); }));
}

TEST_F(RestoringGuardian, CommandsAreGoneBeforeItWritesBack) {
    SharedValue<std::atomic<bool>> writes;
    Guardian::Options options;
    options.restore_afterwards = old();
    options.commands.emplace_back().body = [&] {
        while (true) {  // would have the last word if it outlived the writing back
            write_file(a_, "new a\n");
            *writes = true;
        }
        return 0;
    };
    auto guardian = Guardian::start(std::move(options));
    ASSERT_TRUE(guardian.ok());
    ASSERT_TRUE(eventually([&] { return writes->load(); }));
    EXPECT_TRUE(guardian->stop(Duration::zero()).ok());
    EXPECT_TRUE(both_old());
}

TEST_F(RestoringGuardian, TheOwnerWritesBackWhenTheGuardianWasKilled) {
    auto guardian = guard(old());
    ASSERT_TRUE(guardian.ok());
    write_file(a_, "new a\n");
    ::kill(guardian->guardian_pid(), SIGKILL);
    EXPECT_FALSE(guardian->stop(Duration::zero()).ok());
    EXPECT_TRUE(both_old());
}

TEST_F(RestoringGuardian, NamesAFileThatRefusesAndGoesOn) {
    auto guardian = guard({{a_, "old a\n"}, {folder_.path() / "none", "x"}, {b_, "old b\n"}});
    ASSERT_TRUE(guardian.ok());
    write_file(a_, "new a\n");
    write_file(b_, "new b\n");
    const Status stopped = guardian->stop(Duration::zero());
    ASSERT_FALSE(stopped.ok());
    EXPECT_EQ(stopped.error().code, ENOENT);
    EXPECT_THAT(stopped.error().message(), HasSubstr((folder_.path() / "none").string()));
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "none")) << "never makes a file";
    EXPECT_TRUE(both_old());
}

TEST_F(RestoringGuardian, TriesAgainWhatIsBusy) {
    static ScopedSyscalls* calls = nullptr;
    static int refusals = 0;
    refusals = 3;
    ScopedSyscalls scoped;
    calls = &scoped;
    scoped->open = [](const char* path, int flags, mode_t mode) {
        if (std::string_view(path).ends_with("/a") && refusals-- > 0) {
            errno = EBUSY;
            return -1;
        }
        return calls->real().open(path, flags, mode);
    };
    auto guardian = guard(old());
    ASSERT_TRUE(guardian.ok());
    write_file(a_, "new a\n");
    const Status stopped = guardian->stop(Duration::zero());
    EXPECT_TRUE(stopped.ok()) << stopped.error().message();
    EXPECT_TRUE(both_old());
}

TEST_F(RestoringGuardian, HoldsALockUntilItHasEnded) {
    const auto locked = [&] {
        const Fd other(::open(folder_.path().c_str(), O_RDONLY | O_CLOEXEC));
        return ::flock(other.get(), LOCK_EX | LOCK_NB) != 0;
    };
    Fd lock(::open(folder_.path().c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(::flock(lock.get(), LOCK_EX | LOCK_NB), 0);
    auto guardian = guard(old(), {lock.get()});
    ASSERT_TRUE(guardian.ok());
    lock.reset();
    EXPECT_TRUE(locked());
    EXPECT_TRUE(guardian->stop(Duration::zero()).ok());
    EXPECT_FALSE(locked());
}

}  // namespace
}  // namespace bench
