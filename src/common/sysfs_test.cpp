#include "common/sysfs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "common/testing/fixture_tree.h"
#include "common/testing/scoped_syscalls.h"

namespace bench {
namespace {

using ::testing::ElementsAre;
using testing::FixtureTree;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScopedSyscalls;

TEST(SystemRoot, ResolvesBelowItsRoot) {
    EXPECT_EQ(SystemRoot("/tree").resolve("/proc/stat"), "/tree/proc/stat");
    EXPECT_EQ(SystemRoot("/tree").resolve("//proc/stat"), "/tree/proc/stat");
    EXPECT_EQ(SystemRoot().resolve("/proc/stat"), "/proc/stat");
    EXPECT_TRUE(SystemRoot().is_host());
    EXPECT_FALSE(SystemRoot("/tree").is_host());
}

TEST(SystemRoot, ReadsFilesWhole) {
    FixtureTree tree;
    const std::string big(100'000, 'x');
    tree.file("/a/big", big).file("/a/text", "two words \t\n\n").file("/a/empty", "");
    const SystemRoot system = tree.system();
    EXPECT_EQ(system.read("/a/big").value(), big);
    EXPECT_EQ(system.read_trimmed("/a/text"), "two words");
    EXPECT_EQ(system.read_trimmed("/a/empty"), "");
    EXPECT_EQ(system.read_trimmed("/a/none"), std::nullopt);
}

TEST(SystemRoot, TellsWhyAFileCannotBeRead) {
    FixtureTree tree;
    tree.folder("/a");
    const auto missing = tree.system().read("/a/none");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ENOENT);
    EXPECT_THAT(missing.error().message(), HasSubstr("/a/none"));
    const auto folder = tree.system().read("/a");
    ASSERT_FALSE(folder);
    EXPECT_EQ(folder.error().code, EISDIR);
}

TEST(SystemRoot, RefusesAFileThatDoesNotEnd) {
    const auto endless = SystemRoot().read("/dev/zero");
    ASSERT_FALSE(endless);
    EXPECT_EQ(endless.error().code, EFBIG);
}

TEST(SystemRoot, RetriesInterruptedCalls) {
    FixtureTree tree;
    tree.file("/a", "text");
    static int interrupts = 0;
    interrupts = 0;
    ScopedSyscalls calls;
    static Syscalls real;
    real = calls.real();
    calls->open = [](const char* path, int flags, mode_t mode) {
        if (interrupts++ % 2 == 0) {
            errno = EINTR;
            return -1;
        }
        return real.open(path, flags, mode);
    };
    calls->read = [](int fd, void* buffer, std::size_t size) -> ssize_t {
        if (interrupts++ % 2 == 0) {
            errno = EINTR;
            return -1;
        }
        // One byte at a time, as a kernel file may give it.
        return real.read(fd, buffer, std::min<std::size_t>(size, 1));
    };
    calls->write = [](int fd, const void* data, std::size_t size) -> ssize_t {
        if (interrupts++ % 2 == 0) {
            errno = EINTR;
            return -1;
        }
        return real.write(fd, data, size);
    };
    EXPECT_EQ(tree.system().read("/a").value(), "text");
    EXPECT_TRUE(tree.system().write("/a", "other"));
    EXPECT_EQ(tree.system().read("/a").value(), "other");
}

TEST(SystemRoot, ReadsOnlyWholeNumbersAsIntegers) {
    FixtureTree tree;
    tree.file("/n/plain", "42\n")
        .file("/n/negative", "-7\n")
        .file("/n/plus", "+7\n")
        .file("/n/least", "-9223372036854775808\n")
        .file("/n/beyond", "9223372036854775808\n")
        .file("/n/two", "1 2\n")
        .file("/n/word", "max\n")
        .file("/n/fraction", "1.5\n")
        .file("/n/empty", "\n");
    const SystemRoot system = tree.system();
    EXPECT_EQ(system.read_integer("/n/plain"), 42);
    EXPECT_EQ(system.read_integer("/n/negative"), -7);
    EXPECT_EQ(system.read_integer("/n/plus"), 7);
    EXPECT_EQ(system.read_integer("/n/least"), std::numeric_limits<std::int64_t>::min());
    for (const char* bad : {"/n/beyond", "/n/two", "/n/word", "/n/fraction", "/n/empty", "/n/no"}) {
        EXPECT_EQ(system.read_integer(bad), std::nullopt) << bad;
    }
}

TEST(SystemRoot, ListsSortedNames) {
    FixtureTree tree;
    tree.file("/d/b", "").file("/d/a", "").folder("/d/c").link("/d/l", "a");
    EXPECT_THAT(tree.system().list("/d"), ElementsAre("a", "b", "c", "l"));
    EXPECT_THAT(tree.system().list("/none"), IsEmpty());
    EXPECT_EQ(tree.system().read_link("/d/l"), "a");
    EXPECT_EQ(tree.system().read_link("/d/a"), std::nullopt);
    EXPECT_TRUE(tree.system().exists("/d/l"));
    EXPECT_FALSE(tree.system().exists("/d/none"));
}

TEST(SystemRoot, WritesOnceAndNeverCreates) {
    FixtureTree tree;
    tree.file("/a", "long old text");
    EXPECT_TRUE(tree.system().write("/a", "new"));
    EXPECT_EQ(tree.system().read("/a").value(), "new");
    const Status created = tree.system().write("/b", "x");
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().code, ENOENT);
    EXPECT_FALSE(tree.system().exists("/b"));
}

TEST(SystemRoot, TellsShortAndRefusedWrites) {
    FixtureTree tree;
    tree.file("/a", "");
    ScopedSyscalls calls;
    static int count = 0;
    count = 0;
    calls->write = [](int, const void*, std::size_t) -> ssize_t {
        ++count;
        return 1;
    };
    EXPECT_FALSE(tree.system().write("/a", "two"));
    EXPECT_EQ(count, 1);
    calls->write = [](int, const void*, std::size_t) -> ssize_t {
        errno = EBUSY;
        return -1;
    };
    const Status busy = tree.system().write("/a", "+cpu");
    ASSERT_FALSE(busy);
    EXPECT_EQ(busy.error().code, EBUSY);
    EXPECT_THAT(busy.error().message(), HasSubstr("+cpu"));
}

TEST(FixtureTree, LeavesNothingBehind) {
    std::filesystem::path root;
    {
        FixtureTree tree;
        root = tree.root();
        tree.file("/deep/er/file", "x");
        EXPECT_TRUE(std::filesystem::exists(root / "deep/er/file"));
    }
    EXPECT_FALSE(std::filesystem::exists(root));
}

}  // namespace
}  // namespace bench
