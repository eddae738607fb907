#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "common/bundle.h"
#include "common/file.h"
#include "common/gzip.h"
#include "common/testing/cell_records.h"
#include "common/testing/failing_calls.h"
#include "common/testing/temp_folder.h"

namespace bench {
namespace {

using testing::FailingCalls;
using testing::measured_cell;
using testing::TempFolder;

constexpr std::size_t kSamples = 20;

/// All three files tell of cells 1 to `cells`, each whole.
void expect_whole_cells(const std::filesystem::path& dir, std::size_t cells) {
    const auto bundle = read_bundle(dir);
    ASSERT_TRUE(bundle.ok()) << bundle.error().message();
    EXPECT_EQ(bundle->run["status"], "running") << "nobody called it complete";
    EXPECT_EQ(bundle->run["cells"].size(), cells);
    EXPECT_EQ(bundle->rows.size(), cells * 2);
    const auto samples = read_samples(*bundle);
    ASSERT_TRUE(samples.ok()) << samples.error().message();
    EXPECT_EQ(static_cast<std::size_t>(std::count(samples->begin(), samples->end(), '\n')),
              1 + cells * (kSamples + 1));
}

TEST(KilledWriter, BetweenTwoCellsLeavesTheFinishedOnes) {
    const TempFolder folder;
    const auto dir = folder / "bundle";
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        auto writer = BundleWriter::create(dir, Json::object());
        for (std::int64_t cell = 1; cell <= 3; ++cell) {
            if (!writer || !writer->add(measured_cell(cell, kSamples))) {
                ::_exit(1);
            }
        }
        if (::write(pipe_ends[1], "3", 1) == 1) {
            ::pause();
        }
        ::_exit(1);
    }
    ::close(pipe_ends[1]);
    char told = 0;
    EXPECT_EQ(::read(pipe_ends[0], &told, 1), 1);
    ::close(pipe_ends[0]);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    expect_whole_cells(dir, 3);
}

TEST(KilledWriter, AtAnyStepOfACellLeavesItWholeOrNotAtAll) {
    std::set<std::size_t> seen;
    for (int step = 1;; ++step) {
        SCOPED_TRACE("step " + std::to_string(step));
        const TempFolder folder;
        const auto dir = folder / "bundle";
        auto writer = BundleWriter::create(dir, Json::object());
        ASSERT_TRUE(writer.ok() && writer->add(measured_cell(1, kSamples)).ok());
        const pid_t child = ::fork();
        if (child == 0) {
            const FailingCalls calls(step, FailingCalls::Act::kill);
            ::_exit(writer->add(measured_cell(2, kSamples)).ok() ? 0 : 1);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        if (WIFEXITED(status)) {
            EXPECT_EQ(WEXITSTATUS(status), 0);
            EXPECT_GE(step, 10) << "so few steps can't be all";
            break;
        }
        const auto bundle = read_bundle(dir);
        ASSERT_TRUE(bundle.ok()) << bundle.error().message();
        const std::size_t cells = bundle->run["cells"].size();
        ASSERT_TRUE(cells == 1 || cells == 2);
        expect_whole_cells(dir, cells);
        seen.insert(cells);
    }
    EXPECT_EQ(seen, (std::set<std::size_t>{1, 2}));
}

TEST(KilledWriter, APartialMemberAfterTheLastCellDoesNotCount) {
    const TempFolder folder;
    const auto dir = folder / "bundle";
    auto writer = BundleWriter::create(dir, Json::object());
    ASSERT_TRUE(writer.ok() && writer->add(measured_cell(1, kSamples)).ok());
    const std::string member = gzip_member("2,wakeup,,0,0,12345\n");
    std::ofstream(dir / "samples.csv.gz", std::ios::app | std::ios::binary)
        << member.substr(0, member.size() / 2);
    expect_whole_cells(dir, 1);
    ASSERT_TRUE(writer->add(measured_cell(2, kSamples)).ok());
    expect_whole_cells(dir, 2);
}

}  // namespace
}  // namespace bench
