#include "common/captured_output.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "common/syscalls.h"
#include "common/testing/processes.h"

namespace bench {
namespace {

using testing::file_text;
using testing::TemporaryFolder;

class CapturedOutputTest : public ::testing::Test {
  protected:
    static constexpr std::uint64_t kKept = 1000;

    CapturedOutput create() {
        auto output = CapturedOutput::create(file_, kKept);
        EXPECT_TRUE(output.ok());
        return std::move(*output);
    }
    static void print(const CapturedOutput& output, const std::string& text) {
        ASSERT_TRUE(write_all(output.write_end(), text.data(), text.size()));
    }

    TemporaryFolder folder_;
    std::filesystem::path file_ = folder_.path() / "out";
};

TEST_F(CapturedOutputTest, AShortOutputIsKeptWhole) {
    CapturedOutput output = create();
    print(output, "one\n");
    output.take();
    print(output, "two\n");
    output.take();
    EXPECT_EQ(file_text(file_), "one\ntwo\n");
}

TEST_F(CapturedOutputTest, TheFileNeverExceedsItsSizeAndEndsWithTheLastWords) {
    CapturedOutput output = create();
    std::string all;
    for (int line = 0; line < 1000; ++line) {
        const std::string text = std::to_string(line) + "\n";
        all += text;
        print(output, text);
        output.take();
        const std::string kept = file_text(file_);
        ASSERT_LE(kept.size(), kKept);
        ASSERT_GE(kept.size(), std::min<std::size_t>(all.size(), kKept / 2));
        ASSERT_TRUE(all.ends_with(kept)) << kept;
    }
}

TEST_F(CapturedOutputTest, NothingPrintedIsNotWaitedFor) {
    CapturedOutput output = create();
    EXPECT_FALSE(output.take());
    EXPECT_GE(output.read_end(), 0);
    EXPECT_EQ(file_text(file_), "");
}

TEST_F(CapturedOutputTest, TheEndIsSeenAndWhatWasPrintedBeforeItIsThere) {
    CapturedOutput output = create();
    print(output, "last");
    output.close_write_end();
    output.take();
    EXPECT_EQ(file_text(file_), "last");
    output.take();
    EXPECT_EQ(output.read_end(), -1);
}

TEST_F(CapturedOutputTest, AFileThatIsGoneDoesNotStopTheReading) {
    CapturedOutput output = create();
    std::filesystem::remove(file_);
    print(output, "lost");
    output.take();
    output.close_write_end();
    output.take();
    EXPECT_EQ(output.read_end(), -1);
}

TEST_F(CapturedOutputTest, APlaceThatCanNotBeWrittenIsAnError) {
    const auto output = CapturedOutput::create("/no/such/folder/out", kKept);
    ASSERT_FALSE(output.ok());
    EXPECT_EQ(output.error().code, ENOENT);
    EXPECT_EQ(output.error().operation, "open");
}

}  // namespace
}  // namespace bench
