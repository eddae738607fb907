#include "common/file_tail.h"

#include <gtest/gtest.h>

#include <fstream>

#include "common/testing/temp_folder.h"

namespace bench {
namespace {

class FileTail : public ::testing::Test {
  protected:
    std::string tail(const std::string& content, std::size_t bytes) {
        std::ofstream(folder_ / "file") << content;
        return file_tail(folder_ / "file", bytes);
    }

    testing::TempFolder folder_;
};

TEST_F(FileTail, AShortFileComesWholeWithoutTheLastLineFeed) {
    EXPECT_EQ(tail("one\ntwo\n\n", 100), "one\ntwo");
    EXPECT_EQ(tail("", 100), "");
    EXPECT_EQ(file_tail(folder_ / "absent", 100), "");
}

TEST_F(FileTail, ALongFileIsCutAtTheStartOfALine) {
    EXPECT_EQ(tail("one\ntwo\nthree\n", 9), "three");
    EXPECT_EQ(tail("one\ntwo\nthree\n", 10), "two\nthree");
}

TEST_F(FileTail, OneLongLineIsCutWithinTheLine) {
    EXPECT_EQ(tail(std::string(50, 'x') + "end", 5), "xxend");
}

}  // namespace
}  // namespace bench
