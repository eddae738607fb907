#include "latt/series.h"

#include <gmock/gmock.h>

namespace bench::latt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t start = 1'000'000'000'000;

// A recording built the way the parent builds it: from the clients' slots.
void add(Recording& recording, std::uint32_t client, std::int64_t sent, std::int64_t woken,
         std::int64_t done) {
    ClientSlot slot{};
    slot.sent_ns = start + sent;
    slot.woken_ns = start + woken;
    slot.done_ns = start + done;
    recording.add(client, slot);
}

Recording recording_of_two_rounds() {
    Recording recording;
    recording.start_ns = start;
    recording.rounds = {{start + 100, start + 150}, {start + 900, start + 1000}};
    add(recording, 0, 160, 1'160, 4'160);
    add(recording, 1, 170, 2'170, 5'170);
    add(recording, 0, 10'000, 10'001, 10'500);
    add(recording, 1, 10'010, 10'030, 10'040);
    return recording;
}

const Series& find(const Figures& figures, std::string_view name) {
    for (const Series& series : figures.series) {
        if (series.metric.name == name) {
            return series;
        }
    }
    ADD_FAILURE() << "no series " << name;
    static const Series none;
    return none;
}

Options no_work() {
    Options options;
    options.work = ByteSize{0};
    return options;
}

TEST(Figures, HoldEachClientsLatencyAndWork) {
    const Figures figures = make_figures(recording_of_two_rounds(), Options{}, {});
    const Series& wakeup = find(figures, "wakeup");
    EXPECT_THAT(wakeup.values, ElementsAre(1000, 2000, 1, 20));
    EXPECT_THAT(wakeup.clients, ElementsAre(0, 1, 0, 1));
    EXPECT_THAT(wakeup.at_ns, ElementsAre(160, 170, 10'000, 10'010));
    const Series& work = find(figures, "work");
    EXPECT_THAT(work.values, ElementsAre(3000, 3000, 499, 10));
    EXPECT_THAT(work.at_ns, ElementsAre(1'160, 2'170, 10'001, 10'030));
    EXPECT_THAT(find(figures, "wake_late").values, ElementsAre(50, 100));
    EXPECT_THAT(find(figures, "rounds").values, ElementsAre(2));
    EXPECT_THAT(find(figures, "wakeup_negative").values, ElementsAre(0));
    EXPECT_THAT(figures.taints, IsEmpty());
}

TEST(Figures, KeepALatencyOfFiveSeconds) {
    Recording recording;
    recording.start_ns = start;
    add(recording, 0, 0, 5'000'000'000, 10'000'000'000);
    const Figures figures = make_figures(recording, Options{}, {});
    EXPECT_THAT(find(figures, "wakeup").values, ElementsAre(5e9));
    EXPECT_THAT(find(figures, "work").values, ElementsAre(5e9));
}

TEST(Figures, CountAStampFromBeforeTheWakeAndDoNotAverageIt) {
    Recording recording = recording_of_two_rounds();
    add(recording, 1, 20'000, 19'000, 22'000);
    const Figures figures = make_figures(recording, Options{}, {});
    EXPECT_THAT(find(figures, "wakeup_negative").values, ElementsAre(1));
    EXPECT_THAT(find(figures, "wakeup").values, ElementsAre(1000, 2000, 1, 20));
    EXPECT_THAT(find(figures, "work").values, ElementsAre(3000, 3000, 499, 10, 3000));
    ASSERT_THAT(figures.taints, SizeIs(1));
    EXPECT_THAT(figures.taints[0], HasSubstr("1 of 5 wake-ups"));
}

TEST(Figures, SayWhenWorkEndedBeforeItBegan) {
    Recording recording = recording_of_two_rounds();
    add(recording, 1, 20'000, 21'000, 20'500);
    const Figures figures = make_figures(recording, Options{}, {});
    EXPECT_THAT(find(figures, "work").values, SizeIs(4));
    EXPECT_THAT(find(figures, "wakeup").values, SizeIs(5));
    ASSERT_THAT(figures.taints, SizeIs(1));
    EXPECT_THAT(figures.taints[0], HasSubstr("1 of 5 pieces of work"));
}

TEST(Figures, WithoutSamplesAreEmptyAndNotZero) {
    Recording recording;
    recording.start_ns = start;
    const Figures figures = make_figures(recording, Options{}, {});
    for (const auto* name : {"wakeup", "work", "wake_late", "wakeup_negative", "run_delay",
                             "ctx_voluntary", "ctx_involuntary"}) {
        EXPECT_THAT(find(figures, name).values, IsEmpty()) << name;
    }
    EXPECT_THAT(find(figures, "rounds").values, ElementsAre(0));
    EXPECT_THAT(figures.taints, IsEmpty());
}

TEST(Figures, HaveNoWorkWhereThereIsNone) {
    const Figures figures = make_figures(recording_of_two_rounds(), no_work(), {});
    EXPECT_THAT(figures.series,
                testing::Each(testing::ResultOf(
                    [](const Series& series) { return series.metric.name; }, testing::Ne("work"))));
    EXPECT_THAT(find(figures, "wakeup").values, SizeIs(4));
}

TEST(Figures, LeaveOutRunDelayWhereTheKernelHasNone) {
    std::vector<WorkerAccounting> accounting(2);
    accounting[1].run_delay_ns = 77;
    accounting[0].voluntary_switches = 5;
    accounting[1].involuntary_switches = 6;
    const Figures figures = make_figures(recording_of_two_rounds(), Options{}, accounting);
    EXPECT_THAT(find(figures, "run_delay").values, ElementsAre(77));
    EXPECT_THAT(find(figures, "run_delay").clients, ElementsAre(1));
    EXPECT_THAT(find(figures, "ctx_voluntary").values, ElementsAre(5, 0));
    EXPECT_THAT(find(figures, "ctx_involuntary").values, ElementsAre(0, 6));
}

TEST(Figures, AreExactlyTheMetricsPromised) {
    for (const Options& options : {Options{}, no_work()}) {
        std::vector<std::string> promised;
        for (const Metric& metric : metrics(options)) {
            promised.push_back(metric.name);
        }
        std::vector<std::string> given;
        for (const Series& series : make_figures({}, options, {}).series) {
            given.push_back(series.metric.name);
        }
        EXPECT_EQ(given, promised);
        for (const TableColumn& column : table(options)) {
            EXPECT_THAT(promised, testing::Contains(column.metric)) << column.heading;
        }
    }
}

TEST(ClientWindows, SpanEachClientsFirstAndLastWake) {
    const auto windows = client_windows(recording_of_two_rounds(), 3);
    ASSERT_THAT(windows, SizeIs(3));
    EXPECT_EQ(windows[0].first_ns, 1'160);
    EXPECT_EQ(windows[0].last_ns, 10'001);
    EXPECT_EQ(windows[1].first_ns, 2'170);
    EXPECT_FALSE(windows[2].first_ns.has_value());
    EXPECT_FALSE(windows[2].last_ns.has_value());
}

}  // namespace
}  // namespace bench::latt
