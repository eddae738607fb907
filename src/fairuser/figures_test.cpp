#include "fairuser/figures.h"

#include <gmock/gmock.h>

namespace bench::fairuser {
namespace {

using namespace std::chrono_literals;

Options options_of(WorkloadKind workload, std::vector<UserSpec> users) {
    Options options;
    options.workload = workload;
    options.users = std::move(users);
    return options;
}

const Options kSpin =
    options_of(WorkloadKind::spin, {{.name = "a", .jobs = 2}, {.name = "b", .jobs = 2}});

UserRecord spun(Duration cpu, std::vector<std::uint64_t> work) {
    UserRecord user;
    user.cpu_time = cpu;
    user.work = std::move(work);
    return user;
}

/// On one CPU for four seconds: a got one of them, b three.
SessionRecord unfair() {
    SessionRecord record;
    record.users = {spun(1s, {50, 50}), spun(3s, {100, 200})};
    record.together = {.at = 4s, .cpu_time = {1s, 3s}};
    record.elapsed = 4s;
    record.samples = {{.at = 2s, .cpu_time = {1s, 1s}}, {.at = 4s, .cpu_time = {1s, 3s}}};
    return record;
}

const Series& find(const Figures& figures, std::string_view name, std::string_view subject = {}) {
    for (const Series& series : figures.series) {
        if (series.metric.name == name && series.subject == subject) {
            return series;
        }
    }
    ADD_FAILURE() << "no series " << name << " of " << subject;
    static const Series none;
    return none;
}

double value(const Figures& figures, std::string_view name, std::string_view subject = {}) {
    const Series& series = find(figures, name, subject);
    EXPECT_EQ(series.values.size(), 1U) << name;
    return series.values.empty() ? 0 : series.values.front();
}

TEST(Figures, SharesAreOfTheTimeInWhichAllCompete) {
    const auto figures = make_figures(kSpin, unfair(), {}, 1);
    ASSERT_TRUE(figures);
    EXPECT_DOUBLE_EQ(value(*figures, "cpu_share", "a"), 0.25);
    EXPECT_DOUBLE_EQ(value(*figures, "cpu_share", "b"), 0.75);
    EXPECT_DOUBLE_EQ(value(*figures, "expected_share", "a"), 0.5);
    EXPECT_DOUBLE_EQ(value(*figures, "misallocated"), 0.25);
    EXPECT_DOUBLE_EQ(value(*figures, "jain"), 1 / (0.0625 / 0.5 + 0.5625 / 0.5));
    EXPECT_DOUBLE_EQ(value(*figures, "cpu_used"), 1);
    EXPECT_DOUBLE_EQ(value(*figures, "work_rate", "b"), 75);
    EXPECT_DOUBLE_EQ(value(*figures, "within_cv", "a"), 0);
    EXPECT_NEAR(value(*figures, "within_cv", "b"), 1 / 3.0, 1e-12);
    EXPECT_LT(value(*figures, "within"), 1);
    const Series& over_time = find(*figures, "cpu_share_over_time", "a");
    EXPECT_EQ(over_time.values, (std::vector<double>{0.5, 0}));
    EXPECT_EQ(over_time.at_ns, (std::vector<std::int64_t>{2'000'000'000, 4'000'000'000}));
}

TEST(Figures, WithoutAReferenceEfficiencyAndNumberAreNotMeasured) {
    const auto figures = make_figures(kSpin, unfair(), {}, 1);
    ASSERT_TRUE(figures);
    EXPECT_TRUE(find(*figures, "efficiency").values.empty());
    EXPECT_TRUE(find(*figures, "fairness").values.empty());
    EXPECT_TRUE(find(*figures, "finish_time", "a").values.empty());
}

SessionRecord alone(Duration elapsed, Duration cpu, std::vector<std::uint64_t> work) {
    SessionRecord record;
    record.users = {spun(cpu, std::move(work))};
    record.elapsed = elapsed;
    return record;
}

TEST(Figures, EfficiencyIsTheWorkOfWhatTheSoloRunsShowToBePossible) {
    // Alone, a does 100 a second and b 100: together they did 400 in four seconds.
    const std::vector<SessionRecord> solo = {alone(1s, 1s, {50, 50}), alone(1s, 1s, {50, 50})};
    const auto all = make_figures(kSpin, unfair(), solo, 1);
    ASSERT_TRUE(all);
    EXPECT_DOUBLE_EQ(value(*all, "efficiency"), 1);
    EXPECT_DOUBLE_EQ(value(*all, "fairness"), value(*all, "jain") * value(*all, "within"));
    // Were they twice as fast alone, half is lost in company.
    const std::vector<SessionRecord> fast = {alone(1s, 1s, {100, 100}), alone(1s, 1s, {100, 100})};
    const auto half = make_figures(kSpin, unfair(), fast, 1);
    ASSERT_TRUE(half);
    EXPECT_DOUBLE_EQ(value(*half, "efficiency"), 0.5);
    EXPECT_DOUBLE_EQ(value(*half, "fairness"), value(*all, "fairness") / 2);
}

TEST(Efficiency, FarAboveOneIsADoubt) {
    EXPECT_FALSE(efficiency_taint(std::nullopt, ""));
    EXPECT_FALSE(efficiency_taint(1.02, "the solo runs")) << "that is noise";
    EXPECT_TRUE(efficiency_taint(1.6, "the solo runs"));
}

TEST(Efficiency, OfFixedWorkComparesTheTimeWithTheSumOfTheSoloRuns) {
    const UserRecord solo = spun(10s, {});
    const UserRecord together = spun(10s, {});
    const std::vector<SoloPair> pairs(
        2, {.solo = &solo, .solo_elapsed = 10s, .together = &together, .jobs = 4});
    EXPECT_DOUBLE_EQ(*efficiency(pairs, Ending::work, 20s, 1), 1);
    EXPECT_DOUBLE_EQ(*efficiency(pairs, Ending::work, 25s, 1), 0.8);
    // Two CPUs, and jobs that kept one busy each: both should take no longer than one alone.
    const std::vector<SoloPair> single(
        2, {.solo = &solo, .solo_elapsed = 10s, .together = &together, .jobs = 1});
    EXPECT_DOUBLE_EQ(*efficiency(single, Ending::work, 20s, 2), 0.5);
}

TEST(Figures, TheShareIsCappedByParallelism) {
    Options options = kSpin;
    options.users = {{.name = "a", .jobs = 4}, {.name = "b", .jobs = 20}};
    const auto figures = make_figures(options, unfair(), {}, 16);
    ASSERT_TRUE(figures);
    EXPECT_DOUBLE_EQ(value(*figures, "expected_share", "a"), 0.25);
    EXPECT_DOUBLE_EQ(value(*figures, "jain"), 1) << "a quarter of 16 CPUs is all it can use";
    EXPECT_NE(share_model(16).find("16 CPUs"), std::string::npos);
}

TEST(Figures, AChatUsesAllCpusWhateverItsJobs) {
    Options options =
        options_of(WorkloadKind::volano, {{.name = "a", .jobs = 1}, {.name = "b", .jobs = 20}});
    const auto figures = make_figures(options, unfair(), {}, 16);
    ASSERT_TRUE(figures);
    EXPECT_DOUBLE_EQ(value(*figures, "expected_share", "a"), 0.5);
}

TEST(Figures, NoCpuTimeIsAnError) {
    SessionRecord record = unfair();
    record.together.cpu_time = {Duration(0), Duration(0)};
    EXPECT_FALSE(make_figures(kSpin, record, {}, 1));
}

TEST(Metrics, EachColumnOfTheTableShowsOneOfThem) {
    for (const TableColumn& column : table()) {
        EXPECT_TRUE(column.text || !metric(column.metric).name.empty()) << column.heading;
    }
}

}  // namespace
}  // namespace bench::fairuser
