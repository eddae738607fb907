#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <cstring>
#include <map>

#include "common/bundle.h"
#include "common/file.h"
#include "common/testing/cell_records.h"
#include "common/testing/failing_calls.h"
#include "common/testing/temp_folder.h"

namespace bench {
namespace {

using testing::FailingCalls;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::measured_cell;
using testing::names_in;
using testing::TempFolder;

using Files = std::map<std::string, std::string>;

Files files_in(const std::filesystem::path& dir) {
    Files files;
    for (const std::string& name : names_in(dir)) {
        files[name] = *read_file(dir / name);
    }
    return files;
}

class FullDisk : public ::testing::TestWithParam<bool> {
  protected:
    /// Lets each step of `work` fail in turn; after each failure all files are as before and the
    /// same work succeeds when tried again.
    void fail_at_every_step(const std::function<Status(BundleWriter&, std::int64_t)>& work) {
        auto writer = BundleWriter::create(dir_, Json::object());
        ASSERT_TRUE(writer.ok());
        ASSERT_TRUE(writer->add(measured_cell(1)).ok());
        std::int64_t number = 2;
        int steps = 0;
        for (int step = 1;; ++step) {
            const Files before = files_in(dir_);
            Status done;
            bool reached = false;
            {
                const FailingCalls calls(step, FailingCalls::Act::no_space, GetParam());
                done = work(*writer, number);
                reached = FailingCalls::reached();
            }
            if (!reached) {
                ASSERT_TRUE(done.ok()) << done.error().message();
                break;
            }
            ++steps;
            SCOPED_TRACE("step " + std::to_string(step));
            ASSERT_FALSE(done.ok());
            EXPECT_THAT(done.error().message(), HasSubstr("No space left on device"));
            EXPECT_THAT(done.error().message(), HasSubstr(dir_.string()));
            ASSERT_EQ(files_in(dir_), before);
            done = work(*writer, number++);
            ASSERT_TRUE(done.ok()) << done.error().message();
            const auto bundle = read_bundle(dir_);
            ASSERT_TRUE(bundle.ok()) << bundle.error().message();
            ASSERT_TRUE(read_samples(*bundle).ok());
            ASSERT_EQ(names_in(dir_).size(), 3U);
        }
        EXPECT_GE(steps, 5);
    }

    TempFolder folder_;
    std::filesystem::path dir_ = folder_ / "bundle";
};

TEST_P(FullDisk, ACellThatCannotBeWrittenLeavesAllFilesAsTheyWere) {
    fail_at_every_step([](BundleWriter& writer, std::int64_t number) {
        return writer.add(measured_cell(number));
    });
}

TEST_P(FullDisk, ACellThatCannotBeTakenOverLeavesAllFilesAsTheyWere) {
    for (std::int64_t number = 2; number < 60; ++number) {
        auto cell =
            BundleWriter::create(folder_ / ("cell" + std::to_string(number)), Json::object());
        ASSERT_TRUE(cell.ok() && cell->add(measured_cell(number)).ok());
    }
    fail_at_every_step([this](BundleWriter& writer, std::int64_t number) {
        Status merged = writer.merge(folder_ / ("cell" + std::to_string(number)), {});
        // Reading the other bundle is a step too, but not one of the disk that is full.
        if (!merged && merged.error().object.find("/cell") != std::string::npos) {
            merged = Error{merged.error().code, "open", dir_.string(), {}};
        }
        return merged;
    });
}

TEST_P(FullDisk, AStatusThatCannotBeWrittenLeavesAllFilesAsTheyWere) {
    fail_at_every_step([](BundleWriter& writer, std::int64_t number) {
        return writer.finish("incomplete", "reason " + std::to_string(number));
    });
}

TEST_P(FullDisk, ABundleThatCannotBeBegunLeavesNoFolder) {
    const auto dir = folder_ / "new/results/run";
    for (int step = 1;; ++step) {
        SCOPED_TRACE("step " + std::to_string(step));
        const FailingCalls calls(step, FailingCalls::Act::no_space, GetParam());
        const auto writer = BundleWriter::create(dir, Json::object());
        if (!FailingCalls::reached()) {
            ASSERT_TRUE(writer.ok());
            ASSERT_GE(step, 12);
            break;
        }
        ASSERT_FALSE(writer.ok());
        EXPECT_THAT(writer.error().message(), HasSubstr("No space left on device"));
        EXPECT_THAT(writer.error().message(), HasSubstr((folder_ / "new").string()));
        ASSERT_THAT(names_in(folder_.path()), IsEmpty());
    }
}

INSTANTIATE_TEST_SUITE_P(Steps, FullDisk, ::testing::Values(false, true),
                         [](const auto& steps) { return steps.param ? "FromThenOn" : "Once"; });

/// The calls that matter in the order made: Write, Sync, Close, Rename; writes in a row are one.
class CallRecorder {
  public:
    CallRecorder() {
        made().clear();
        calls_->write = [](int fd, const void* data, std::size_t size) {
            note('W');
            return ::write(fd, data, size);
        };
        calls_->fsync = [](int fd) {
            note('S');
            return ::fsync(fd);
        };
        calls_->close = [](int fd) {
            note('C');
            return ::close(fd);
        };
        calls_->rename = [](const char* from, const char* to) {
            note('R');
            return ::rename(from, to);
        };
    }
    static std::string& made() {
        static std::string calls;
        return calls;
    }

  private:
    static void note(char call) {
        if (call != 'W' || !made().ends_with('W')) {
            made() += call;
        }
    }
    testing::ScopedSyscalls calls_;
};

TEST(WritingACell, EachFileIsSyncedAndClosedBeforeAnyIsRenamedAndTheFolderLast) {
    const TempFolder folder;
    auto writer = BundleWriter::create(folder / "bundle", Json::object());
    ASSERT_TRUE(writer.ok());
    const CallRecorder recorder;
    ASSERT_TRUE(writer->add(measured_cell(1)).ok());
    EXPECT_EQ(CallRecorder::made(), "WSCWSCWSCRRS");
}

/// Runs `body` in a child with a mount namespace of its own, where `dir` is a file system of
/// 64 KiB. The mount goes with the child, whatever happens to it.
int in_small_file_system(const std::filesystem::path& dir, const std::function<bool()>& body) {
    constexpr int kSkip = 77;
    const pid_t child = ::fork();
    if (child == 0) {
        if (::unshare(CLONE_NEWNS) != 0 ||
            ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            ::mount("bench-test", dir.c_str(), "tmpfs", 0, "size=64k") != 0) {
            ::_exit(kSkip);
        }
        ::_exit(body() ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(FullDiskForReal, WhatWasMeasuredBeforeStaysIntact) {
    const TempFolder folder;
    const int status = in_small_file_system(folder.path(), [&folder] {
        const auto dir = folder / "bundle";
        auto writer = BundleWriter::create(dir, Json::object());
        if (!writer || !writer->add(measured_cell(1))) {
            return false;
        }
        const Files before = files_in(dir);
        // Samples that a disk of this size can't hold, then a summary that it can't.
        CellRecord many_samples = measured_cell(2, 200'000);
        CellRecord many_rows = measured_cell(2);
        many_rows.metrics.clear();
        for (int i = 0; i < 2000; ++i) {
            many_rows.metrics.push_back(testing::rounds_metric());
            many_rows.metrics.back().name += std::to_string(i);
        }
        for (const CellRecord& record : {many_samples, many_rows}) {
            const Status done = writer->add(record);
            if (done ||
                done.error().message().find("No space left on device") == std::string::npos ||
                files_in(dir) != before) {
                return false;
            }
        }
        return writer->add(measured_cell(2)).ok() && read_bundle(dir).ok();
    });
    if (status == 77) {
        GTEST_SKIP() << "needs the right to mount a tmpfs";
    }
    EXPECT_EQ(status, 0);
}

TEST(UnwritablePlace, IsKnownBeforeAnythingIsMeasured) {
    const TempFolder folder;
    ASSERT_TRUE(write_file_atomically(folder / "file", "text").ok());
    const auto writer = BundleWriter::create(folder / "file/below", Json::object());
    ASSERT_FALSE(writer.ok());
    EXPECT_THAT(writer.error().message(), HasSubstr("Not a directory"));
    EXPECT_EQ(*read_file(folder / "file"), "text");
}

TEST(UnwritablePlace, AReadOnlyFolderIsAnErrorThatNamesIt) {
    const TempFolder folder;
    ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        constexpr uid_t kNobody = 65534;
        if (::geteuid() == 0 && ::seteuid(kNobody) != 0) {
            ::_exit(2);
        }
        const auto writer = BundleWriter::create(folder / "bundle", Json::object());
        const bool told = !writer && writer.error().code == EACCES &&
                          writer.error().object == (folder / "bundle").string();
        ::_exit(told ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    ::chmod(folder.path().c_str(), 0755);
    EXPECT_THAT(names_in(folder.path()), IsEmpty());
}

}  // namespace
}  // namespace bench
