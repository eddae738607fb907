#include "vm/boot_outcome.h"

#include <gmock/gmock.h>

namespace bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(BootOutcome, APanicIsToldInTheKernelsWords) {
    const auto why = why_no_results(
        GuestEnd::ended, false,
        "[    1.2] VFS: Cannot open root device\r\n[    1.3] Kernel panic - not syncing: VFS: "
        "Unable to mount root fs on unknown-block(0,0)\r\n[    1.4] CPU: 0 PID: 1\r\n",
        "", "exit status 0");
    EXPECT_EQ(why,
              "the guest's kernel panicked: Kernel panic - not syncing: VFS: Unable to mount root "
              "fs on unknown-block(0,0)");
}

TEST(BootOutcome, TooLittleMemoryIsNamedBesideThePanicItCaused) {
    EXPECT_THAT(why_no_results(GuestEnd::ended, false,
                               "Initramfs unpacking failed: write error\nKernel panic - no init\n",
                               "", "exit status 0"),
                HasSubstr("no init (Initramfs unpacking failed"));
    EXPECT_THAT(
        why_no_results(GuestEnd::hung, true, "Out of memory: Killed process 7 (bench)\n", "", ""),
        HasSubstr("ran out of memory: Out of memory: Killed process 7"));
}

TEST(BootOutcome, AKernelThatRestartsWithoutAWordLacksMemoryMostLikely) {
    EXPECT_THAT(why_no_results(GuestEnd::ended, false, "", "", "exit status 0"),
                HasSubstr("(exit status 0) before the kernel had said anything: is --memory"));
}

TEST(BootOutcome, AHangTellsHowFarTheGuestCame) {
    EXPECT_THAT(why_no_results(GuestEnd::hung, false, "", "", ""), HasSubstr("--boot-timeout"));
    EXPECT_THAT(why_no_results(GuestEnd::hung, true, "", "", ""), HasSubstr("no sign of life"));
}

TEST(BootOutcome, AnEndOfQemuTellsWhatItSaid) {
    const auto why = why_no_results(GuestEnd::ended, false, "",
                                    "warning\nqemu: could not load kernel\n", "exit status 1");
    EXPECT_THAT(why, HasSubstr("QEMU ended (exit status 1) before the guest had come up"));
    EXPECT_THAT(why, HasSubstr(": qemu: could not load kernel"));
}

TEST(BootOutcome, WhatInitSaysIsTheReason) {
    EXPECT_EQ(why_no_results(GuestEnd::ended, false, "[ 2.0] bench: find x: no device\n", "", ""),
              "the guest could not run the cell: find x: no device");
}

TEST(BootOutcome, DoubtsComeFromTheLogOnceEach) {
    EXPECT_THAT(kernel_log_taints("6,1,0,-;Linux version 6.1\n6,2,9,-;all is well\n"), IsEmpty());
    EXPECT_THAT(
        kernel_log_taints("4,3,9,-;WARNING: CPU: 0 PID: 1 at kernel/x.c:5\n"
                          "4,4,9,-;WARNING: CPU: 0 PID: 1 at kernel/x.c:5\n"
                          "3,5,9,-;rcu: INFO: rcu_sched self-detected stall on CPU\n"),
        ElementsAre("the guest's kernel said: WARNING: CPU: 0 PID: 1 at kernel/x.c:5",
                    "the guest's kernel said: rcu: INFO: rcu_sched self-detected stall on CPU"));
    std::string many;
    for (int i = 0; i < 50; ++i) {
        many += "2,1,1,-;BUG: number " + std::to_string(i) + "\n";
    }
    EXPECT_THAT(kernel_log_taints(many), SizeIs(10));
}

TEST(BootOutcome, TheConsoleIsKeptAsPlainText) {
    EXPECT_EQ(console_tail("a\r\nb\x1b[2J\r\n\r\nc", 2), "b?[2J\nc\n");
    EXPECT_EQ(console_tail("", 5), "");
}

}  // namespace
}  // namespace bench
