#include "latt/classic_output.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

namespace bench::latt {
namespace {

using testing::HasSubstr;

std::string golden(const std::string& name) {
    std::ifstream file(std::string(BENCH_TEST_DATA_DIR) + "/latt-classic-" + name + ".txt");
    std::ostringstream text;
    text << file.rdbuf();
    EXPECT_FALSE(text.str().empty()) << name;
    return text.str();
}

// One round of as many clients as `latencies` has; what lies below a microsecond is cut off.
Recording round_of(const std::vector<std::int64_t>& latencies_us,
                   const std::vector<std::int64_t>& works_us) {
    Recording recording;
    recording.rounds = {{1'000, 250'000}};
    for (std::size_t i = 0; i < latencies_us.size(); ++i) {
        const std::int64_t sent = 1'000'000;
        const std::int64_t woken = sent + latencies_us[i] * 1000 + 999;
        recording.samples.push_back(
            {static_cast<std::uint32_t>(i), sent, woken, woken + works_us[i] * 1000 + 999});
    }
    return recording;
}

Recording five_entries() {
    return round_of({43974, 14512, 7, 0, 5'000'000}, {2001, 2002, 2010, 2999, 123'456'789});
}

TEST(ClassicReport, IsTheClassicsToTheByte) {
    ClassicOptions options;
    options.clients = 5;
    EXPECT_EQ(classic_report(options, five_entries()), golden("work"));
}

TEST(ClassicReport, HasNoWorkBlockWithoutWork) {
    ClassicOptions options;
    options.clients = 5;
    options.min_wait_ms = 0;
    options.max_wait_ms = 3;
    options.work_kb = 0;
    EXPECT_EQ(classic_report(options, five_entries()), golden("no-work"));
}

TEST(ClassicReport, OneEntryHasADeviationOfZero) {
    EXPECT_EQ(classic_report({}, round_of({43974}, {2001})), golden("one-entry"));
}

TEST(ClassicReport, WithoutEntriesPrintsNoAverages) {
    EXPECT_EQ(classic_report({}, {}), golden("no-entries"));
}

TEST(ClassicReport, LeavesReversedStampsOut) {
    Recording recording = round_of({43974}, {2001});
    Sample reversed;
    reversed.sent_ns = 5'000;
    reversed.woken_ns = reversed.done_ns = 4'000;
    recording.samples.push_back(reversed);
    const std::string text = classic_report({}, recording);
    EXPECT_THAT(text, HasSubstr("Entries logged: 1\n"));
    EXPECT_THAT(text, HasSubstr("\tMax\t\t   43974 usec\n"));
}

TEST(ClassicDetails, TellTheWakersLatenessAndEachClient) {
    ClassicOptions options;
    options.clients = 3;
    EXPECT_EQ(classic_details(options, round_of({10, 30}, {1, 1})),
              "1 rounds, the waker itself at most 249 usec late\n"
              "client 0: 1 entries, wakeup avg 10 usec, max 10 usec\n"
              "client 1: 1 entries, wakeup avg 30 usec, max 30 usec\n"
              "client 2: no entries\n");
}

}  // namespace
}  // namespace bench::latt
