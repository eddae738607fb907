#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/scheduler_switches.h"

namespace bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

/// The message of a refusal, which is one line that quotes the value.
template <class T>
std::string refusal(const Result<T>& result, std::string_view text) {
    if (result.ok()) {
        return "it was taken";
    }
    const std::string message = result.error().message();
    EXPECT_THAT(message, HasSubstr("'" + std::string(text.substr(0, text.find('\n')))));
    return message;
}

TEST(ParseSysctls, TakesKeysInBothSpellings) {
    EXPECT_THAT(*parse_sysctls("kernel.sched_x=1"), ElementsAre(Pair("kernel.sched_x", "1")));
    EXPECT_THAT(*parse_sysctls("kernel/sched_x=1"), ElementsAre(Pair("kernel.sched_x", "1")));
    EXPECT_THAT(*parse_sysctls("net.ipv4.conf.eth0/1.rp_filter=1"),
                ElementsAre(Pair("net/ipv4/conf/eth0.1/rp_filter", "1")));
    EXPECT_THAT(*parse_sysctls("net/ipv4/conf/eth0.1/rp_filter=1"),
                ElementsAre(Pair("net/ipv4/conf/eth0.1/rp_filter", "1")));
    EXPECT_THAT(*parse_sysctls("vm.x= 1\t 2 "), ElementsAre(Pair("vm.x", "1 2")));
    EXPECT_THAT(*parse_sysctls("a.b=c=d"), ElementsAre(Pair("a.b", "c=d")));
}

TEST(ParseSysctls, TakesSeveralAndNone) {
    EXPECT_THAT(*parse_sysctls("a.b=1,c.d=2"), ElementsAre(Pair("a.b", "1"), Pair("c.d", "2")));
    EXPECT_TRUE(parse_sysctls("none")->empty());
}

TEST(ParseSysctls, RefusesInOneLineThatQuotesTheValue) {
    for (const char* text : {"", "a.b", "none,a.b=1", "a.b=1,", "a.b=1,c", "a.b=1,,c.d=2"}) {
        EXPECT_THAT(refusal(parse_sysctls(text), text), HasSubstr("KEY=VALUE")) << text;
    }
    for (const char* text :
         {"=1", "a..b=1", ".a=1", "a.=1", "/a=1", "../x=1", "a/../b=1", "a./.b=1", "a b=1",
          "/proc/sys/a=1", "\xc3\xa4=1", "a/./b=1", "a.//.b=1"}) {
        EXPECT_THAT(refusal(parse_sysctls(text), text), HasSubstr("is no sysctl key")) << text;
    }
    EXPECT_THAT(refusal(parse_sysctls("a.b="), "a.b="), HasSubstr("has no value"));
    EXPECT_THAT(refusal(parse_sysctls("a.b=1\n2"), "a.b=1"), HasSubstr("more than one line"));
    for (const char* text : {"a.b=1,a.b=2", "a.b=1,a/b=1"}) {
        EXPECT_THAT(refusal(parse_sysctls(text), text), HasSubstr("'a.b' is given twice"));
    }
}

TEST(ParseFeatures, TakesNamesWithAndWithoutNo) {
    EXPECT_THAT(*parse_sched_features("NO_PLACE_LAG"), ElementsAre("NO_PLACE_LAG"));
    EXPECT_THAT(*parse_sched_features("RUN_TO_PARITY,NO_PLACE_LAG"),
                ElementsAre("RUN_TO_PARITY", "NO_PLACE_LAG"));
    EXPECT_TRUE(parse_sched_features("none")->empty());
}

TEST(ParseFeatures, Refuses) {
    for (const char* text : {"", "place_lag", "A B", "A,", "NO_", "A=1", "none,A", "A;B"}) {
        EXPECT_THAT(refusal(parse_sched_features(text), text), HasSubstr("capital letters"))
            << text;
    }
    for (const char* text : {"A,A", "A,NO_A"}) {
        EXPECT_THAT(refusal(parse_sched_features(text), text), HasSubstr("'A' is given twice"));
    }
}

TEST(ParseScx, TakesANameAPathOrNone) {
    EXPECT_EQ(*parse_scx("scx_simple"), "scx_simple");
    EXPECT_EQ(*parse_scx("/opt/scx/scx_lavd"), "/opt/scx/scx_lavd");
    EXPECT_EQ(*parse_scx("none"), "");
    for (const char* text : {"", "-x", "a b", "a\tb", "bin/"}) {
        EXPECT_THAT(refusal(parse_scx(text), text), HasSubstr("allowed: a sched_ext")) << text;
    }
}

TEST(ParseAutogroup, TakesOnAndOff) {
    EXPECT_TRUE(*parse_autogroup("on"));
    EXPECT_FALSE(*parse_autogroup("off"));
    for (const char* text : {"", "On", "1", "yes", "on "}) {
        EXPECT_THAT(refusal(parse_autogroup(text), text), HasSubstr("allowed: on, off")) << text;
    }
}

TEST(CheckSwitches, FindsWhatCannotBothHold) {
    SwitchOptions options;
    EXPECT_TRUE(check_switches(options).ok());
    options.sysctls = {{"kernel.sched_autogroup_enabled", "1"}};
    EXPECT_TRUE(check_switches(options).ok());
    options.autogroup = true;
    ASSERT_FALSE(check_switches(options).ok());
    EXPECT_THAT(check_switches(options).error().message(), HasSubstr("--autogroup sets"));
    options.sysctls = {{"a.b", "1"}, {"a/b", "2"}};
    EXPECT_THAT(check_switches(options).error().message(), HasSubstr("'a.b' is given twice"));
    options.sysctls.clear();
    options.sched_features = {"NO_A", "A"};
    EXPECT_THAT(check_switches(options).error().message(), HasSubstr("'A' is given twice"));
}

}  // namespace
}  // namespace bench
