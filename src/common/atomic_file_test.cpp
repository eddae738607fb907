#include "common/atomic_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "common/bundle.h"
#include "common/file.h"
#include "common/testing/failing_calls.h"
#include "common/testing/temp_folder.h"

namespace bench {
namespace {

using ::testing::ElementsAre;
using testing::FailingCalls;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::names_in;
using testing::TempFolder;

TEST(WriteFile, ReplacesTheWholeFileAndLeavesNothingBeside) {
    const TempFolder folder;
    ASSERT_TRUE(write_file_atomically(folder / "f", "a long first text").ok());
    ASSERT_TRUE(write_file_atomically(folder / "f", "second").ok());
    EXPECT_EQ(*read_file(folder / "f"), "second");
    EXPECT_THAT(names_in(folder.path()), ElementsAre("f"));
}

TEST(WriteFile, OfAFullDiskTheOldFileStaysAndTheErrorSaysSo) {
    for (const bool persistent : {false, true}) {
        const TempFolder folder;
        ASSERT_TRUE(write_file_atomically(folder / "f", "old").ok());
        for (int step = 1;; ++step) {
            SCOPED_TRACE("step " + std::to_string(step));
            Status written;
            {
                const FailingCalls calls(step, FailingCalls::Act::no_space, persistent);
                written = write_file_atomically(folder / "f", "new");
            }
            if (!FailingCalls::reached()) {
                ASSERT_TRUE(written.ok());
                ASSERT_GE(step, 7);
                break;
            }
            ASSERT_FALSE(written.ok());
            EXPECT_EQ(written.error().code, ENOSPC);
            EXPECT_THAT(written.error().object, HasSubstr(folder.path().string()));
            EXPECT_EQ(*read_file(folder / "f"), "old");
            EXPECT_THAT(names_in(folder.path()), ElementsAre("f"));
        }
    }
}

TEST(WriteFile, OfAFullDiskNoNewFileIsLeft) {
    for (int step = 1;; ++step) {
        const TempFolder folder;
        const FailingCalls calls(step, FailingCalls::Act::no_space);
        const Status written = write_file_atomically(folder / "f", "new");
        if (!FailingCalls::reached()) {
            ASSERT_TRUE(written.ok());
            break;
        }
        ASSERT_FALSE(written.ok());
        EXPECT_THAT(names_in(folder.path()), IsEmpty()) << step;
    }
}

TEST(WriteFile, KeepsASymbolicLinkAndTheMode) {
    const TempFolder folder;
    ASSERT_TRUE(write_file_atomically(folder / "target", "old").ok());
    ASSERT_EQ(::chmod((folder / "target").c_str(), 0640), 0);
    std::filesystem::create_symlink("target", folder / "link");
    ASSERT_TRUE(write_file_atomically(folder / "link", "new").ok());
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
    EXPECT_EQ(*read_file(folder / "target"), "new");
    struct stat now {};
    ASSERT_EQ(::stat((folder / "target").c_str(), &now), 0);
    EXPECT_EQ(now.st_mode & 07777U, 0640U);
}

TEST(WriteFile, ADeviceIsWrittenToAndNeverReplaced) {
    const Status full = write_file_atomically("/dev/full", "text");
    ASSERT_FALSE(full.ok());
    EXPECT_EQ(full.error().message(), "write /dev/full: No space left on device");
    EXPECT_TRUE(write_file_atomically("/dev/null", "text").ok());
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(WriteFile, AFolderIsAnError) {
    const TempFolder folder;
    EXPECT_FALSE(write_file_atomically(folder.path(), "text").ok());
    EXPECT_FALSE(write_file_atomically(folder / "no/such/folder", "text").ok());
}

TEST(FileTransactionTest, WithoutCommitNothingChanges) {
    const TempFolder folder;
    ASSERT_TRUE(write_file_atomically(folder / "a", "old").ok());
    {
        FileTransaction files;
        ASSERT_TRUE(files.stage(folder / "a", "new").ok());
        ASSERT_TRUE(files.stage(folder / "b", "new").ok());
    }
    EXPECT_EQ(*read_file(folder / "a"), "old");
    EXPECT_THAT(names_in(folder.path()), ElementsAre("a"));
}

TEST(ReadFile, InterruptedAndShortReadsGiveTheWholeFile) {
    const TempFolder folder;
    ASSERT_TRUE(write_file_atomically(folder / "f", "some text").ok());
    testing::ScopedSyscalls calls;
    static int call = 0;
    call = 0;
    calls->read = [](int fd, void* buffer, std::size_t) -> ssize_t {
        if (call++ % 2 == 0) {
            errno = EINTR;
            return -1;
        }
        return ::read(fd, buffer, 2);
    };
    EXPECT_EQ(*read_file(folder / "f"), "some text");
}

TEST(WriteText, InterruptedAndShortWritesWriteTheWholeText) {
    const TempFolder folder;
    testing::ScopedSyscalls calls;
    static int call = 0;
    call = 0;
    calls->write = [](int fd, const void* data, std::size_t) -> ssize_t {
        if (call++ % 2 == 0) {
            errno = EINTR;
            return -1;
        }
        return ::write(fd, data, 1);
    };
    ASSERT_TRUE(write_file_atomically(folder / "f", "some text").ok());
    EXPECT_EQ(*read_file(folder / "f"), "some text");
}

}  // namespace
}  // namespace bench
