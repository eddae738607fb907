#include "vm/qemu_command.h"

#include <gmock/gmock.h>

namespace bench {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

/// The word behind an option.
std::string after(const std::vector<std::string>& words, const std::string& option) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (words[i] == option) {
            return words[i + 1];
        }
    }
    return "absent";
}

const BootFiles kFiles = {"/k,6.9 a/vmlinuz", "/k,6.9 a/image", "/k,6.9 a/console",
                          "/k,6.9 a/channel", 1024};

TEST(QemuCommand, VirtualTimeFixesWhateverCouldVary) {
    const auto words = qemu_arguments("qemu", {}, kFiles);
    EXPECT_EQ(words.front(), "qemu");
    EXPECT_EQ(after(words, "-accel"), "tcg,thread=single");
    EXPECT_EQ(after(words, "-icount"), "shift=1,sleep=off");
    EXPECT_EQ(after(words, "-rtc"), "base=2026-01-01T00:00:00,clock=vm");
    EXPECT_EQ(after(words, "-seed"), "1");
    EXPECT_EQ(after(words, "-cpu"), "qemu64");
    EXPECT_EQ(after(words, "-nic"), "none");
    EXPECT_EQ(after(words, "-smp"), "1");
    EXPECT_EQ(after(words, "-m"), "256M");
    EXPECT_THAT(words, Contains("-no-reboot"));
    for (const char* word : {"nokaslr", "panic=-1", "cryptomgr.notests=1", "console=ttyS0"}) {
        EXPECT_THAT(after(words, "-append"), HasSubstr(word));
    }
}

TEST(QemuCommand, RealTimeHasNoInstructionClock) {
    const auto words = qemu_arguments("qemu", {.time = GuestTime::real_time}, kFiles);
    EXPECT_THAT(words, Not(Contains("-icount")));
    EXPECT_EQ(after(words, "-rtc"), "base=utc");
}

TEST(QemuCommand, CommasAreDoubledWhereQemuSplitsAndNowhereElse) {
    const auto words = qemu_arguments("qemu", {}, kFiles);
    EXPECT_EQ(after(words, "-kernel"), "/k,6.9 a/vmlinuz");
    EXPECT_EQ(after(words, "-initrd"), "/k,6.9 a/image");
    EXPECT_EQ(after(words, "-chardev"), "file,id=console,path=/k,,6.9 a/console");
    EXPECT_THAT(after(words, "-object"), HasSubstr("size=1024,mem-path=/k,,6.9 a/channel"));
}

TEST(QemuCommand, WhatIsAppendedStaysOneWordAndComesLast) {
    const std::string append = "foo=\"a b\" isolcpus=2,3";
    const auto words = qemu_arguments("qemu", {.append = append}, kFiles);
    EXPECT_TRUE(after(words, "-append").ends_with(" " + append));
    EXPECT_EQ(words.back(), after(words, "-append"));
}

TEST(QemuCommand, TheVariantHasWhatWasAskedFor) {
    EXPECT_THAT(guest_variant({}), ElementsAre(Pair("time", "virtual"), Pair("vcpus", "1")));
    EXPECT_THAT(
        guest_variant(
            {.time = GuestTime::real_time, .memory = {512U << 20U}, .append = "preempt=full"}),
        ElementsAre(Pair("time", "real"), Pair("vcpus", "1"), Pair("memory", "512MiB"),
                    Pair("append", "preempt=full")));
}

}  // namespace
}  // namespace bench
