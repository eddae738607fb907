#include "fairuser/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/statistics.h"

namespace bench::fairuser {
namespace {

double seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}
double nanoseconds(Duration duration) {
    return static_cast<double>(duration.count());
}

std::string_view value_of(const std::vector<std::pair<std::string, std::string>>& pairs,
                          std::string_view key) {
    const auto found = std::find_if(pairs.begin(), pairs.end(),
                                    [&](const auto& pair) { return pair.first == key; });
    return found == pairs.end() ? std::string_view() : std::string_view(found->second);
}

double work_of(const UserRecord& user) {
    return static_cast<double>(
        std::accumulate(user.work.begin(), user.work.end(), std::uint64_t{0}));
}

/// Units of the workload a second, until the user's end; absent where they are not counted.
std::optional<double> work_rate(const Options& options, const UserRecord& user, Duration elapsed) {
    const double time = seconds(user.finish.value_or(elapsed));
    double work = work_of(user);
    if (options.workload == WorkloadKind::make && options.source.empty() && user.finish) {
        work = static_cast<double>(options.units_or_default() + 1);  // and main.c
    }
    return work > 0 && time > 0 ? std::optional(work / time) : std::nullopt;
}

/// What should be equal among a user's jobs: their ends where the work was the same, else their
/// work.
std::optional<double> inner_cv(const UserRecord& user) {
    std::vector<double> values;
    if (user.job_finish.size() == user.work.size()) {
        for (const Duration finish : user.job_finish) {
            values.push_back(nanoseconds(finish));
        }
    } else {
        values.assign(user.work.begin(), user.work.end());
    }
    return values.size() > 1 ? population_cv(values) : std::nullopt;
}

/// Each user's part of the CPU time of all in each interval.
std::vector<Series> shares_over_time(const Options& options, const SessionRecord& record) {
    std::vector<Series> all;
    for (const UserSpec& user : options.users) {
        all.push_back(single("cpu_share_over_time", user.name, std::nullopt));
    }
    std::vector<Duration> before(options.users.size(), Duration(0));
    for (const Sample& sample : record.samples) {
        Duration sum{};
        for (std::size_t i = 0; i < all.size(); ++i) {
            sum += sample.cpu_time[i] - before[i];
        }
        for (std::size_t i = 0; i < all.size() && sum > Duration(0); ++i) {
            all[i].values.push_back(nanoseconds(sample.cpu_time[i] - before[i]) / nanoseconds(sum));
            all[i].at_ns.push_back(sample.at.count());
        }
        before = sample.cpu_time;
    }
    return all;
}

/// The users with as many jobs as can run at once: a chat has a thread for each connection.
std::vector<UserSpec> parallel_users(const Options& options) {
    std::vector<UserSpec> users = options.users;
    if (options.workload == WorkloadKind::volano) {
        for (UserSpec& user : users) {
            user.jobs = chat_size(options).connections();
        }
    }
    return users;
}

std::optional<double> efficiency_of(const Options& options, const SessionRecord& record,
                                    const std::vector<SessionRecord>& solo, std::int64_t cpus) {
    if (solo.size() != options.users.size()) {
        return std::nullopt;
    }
    std::vector<SoloPair> pairs;
    for (std::size_t i = 0; i < solo.size(); ++i) {
        pairs.push_back({.solo = &solo[i].users.front(),
                         .solo_elapsed = solo[i].elapsed,
                         .together = &record.users[i],
                         .jobs = parallel_users(options)[i].jobs});
    }
    return efficiency(pairs, options.end(), record.elapsed, cpus);
}

/// CPUs that the users' jobs can keep busy.
double usable_cpus(const std::vector<UserSpec>& users, std::int64_t cpus) {
    std::int64_t jobs = 0;
    for (const UserSpec& user : users) {
        jobs += user.jobs;
    }
    return static_cast<double>(std::min(jobs, cpus));
}

void add_user(std::vector<Series>& series, const Options& options, const SessionRecord& record,
              std::size_t index) {
    const UserRecord& user = record.users[index];
    const std::string& name = options.users[index].name;
    const auto add = [&](std::string_view metric, std::optional<double> value) {
        series.push_back(single(metric, name, value));
    };
    add("finish_time", user.finish ? std::optional(nanoseconds(*user.finish)) : std::nullopt);
    add("cpu_time", nanoseconds(user.cpu_time));
    add("work_rate", work_rate(options, user, record.elapsed));
    add("ctx_switches", user.context_switches
                            ? std::optional(static_cast<double>(*user.context_switches))
                            : std::nullopt);
    add("run_delay", user.run_delay ? std::optional(nanoseconds(*user.run_delay)) : std::nullopt);
    add("within_cv", inner_cv(user));
}

}  // namespace

std::vector<Metric> metrics() {
    return {
        {"finish_time", "ns", Better::lower, "from the common start to the end of the user's work"},
        {"cpu_time", "ns", Better::none,
         "CPU time of all the user's processes until its end, or the cell's"},
        {"cpu_share", "ratio", Better::none,
         "the user's part of the CPU time of all users while all competed"},
        {"expected_share", "ratio", Better::none,
         "the part it is entitled to by weight, no more than its jobs can use"},
        {"work_rate", "1/s", Better::higher,
         "the user's work a second: messages, token passings, turns, files compiled"},
        {"ctx_switches", "1", Better::none, "context switches of the user's processes"},
        {"run_delay", "ns", Better::lower,
         "time the user's processes were runnable but waited for a CPU, all together; none when "
         "one of "
         "them ended before the cell did, for the kernel forgets it with the process"},
        {"within_cv", "ratio", Better::lower,
         "how unequal what should be equal among a user's jobs is: population standard deviation / "
         "mean"},
        {"cpu_share_over_time", "ratio", Better::none, "cpu_share of each 100 ms"},
        {"makespan", "ns", Better::lower, "from the common start to the end of the last user"},
        {"cpu_used", "ratio", Better::higher,
         "CPU time delivered to the users while all competed, of what their jobs could have used"},
        {"misallocated", "ratio", Better::lower,
         "CPU time that went to the wrong user: half the sum of |share - expected share|"},
        {"jain", "ratio", Better::higher,
         "Jain's index between users, weighted by expected share: 1 when each has its own"},
        {"within", "ratio", Better::higher,
         "what the fairness number keeps of unequal jobs inside the users: 1 when equal"},
        {"efficiency", "ratio", Better::higher,
         "work done in company, of what the solo runs show to be possible; without them, of what "
         "the "
         "cell without grouping did"},
        {"fairness", "ratio", Better::higher,
         "the fairness number F = jain x within x min(1, efficiency)"},
    };
}

Metric metric(std::string_view name) {
    for (Metric& one : metrics()) {
        if (one.name == name) {
            return one;
        }
    }
    return {};
}

Series single(std::string_view name, std::string subject, std::optional<double> value) {
    Series series{.metric = metric(name),
                  .subject = std::move(subject),
                  .values = {},
                  .clients = {},
                  .at_ns = {}};
    if (value) {
        series.values.push_back(*value);
    }
    return series;
}

std::vector<TableColumn> table() {
    const auto group = [](const std::string& variant, const std::string&) {
        const auto pairs = parse_variant(variant);
        return std::string(value_of(pairs, "group"));
    };
    const auto user = [](const std::string&, const std::string& subject) { return subject; };
    return {{.heading = "group", .text = group},
            {.heading = "user", .text = user},
            {.heading = "command", .text = command_in_variant},
            {.heading = "real", .metric = "finish_time"},
            {.heading = "share", .metric = "cpu_share"},
            {.heading = "expected", .metric = "expected_share"},
            {.heading = "work/s", .metric = "work_rate", .decimals = 1},
            {.heading = "misalloc", .metric = "misallocated"},
            {.heading = "J", .metric = "jain"},
            {.heading = "V", .metric = "within"},
            {.heading = "E", .metric = "efficiency"},
            {.heading = "F", .metric = "fairness"}};
}

Result<Figures> make_figures(const Options& options, const SessionRecord& record,
                             const std::vector<SessionRecord>& solo, std::int64_t cpus) {
    const std::vector<UserSpec> users = parallel_users(options);
    const std::vector<double> expected = expected_shares(users, cpus);
    Duration all{};
    for (const Duration time : record.together.cpu_time) {
        all += time;
    }
    if (all <= Duration(0)) {
        return plain_error("measure", "CPU time", "none was measured while all competed");
    }
    Figures figures;
    std::vector<FairGroup> groups;
    bool any_inner = false;
    for (std::size_t i = 0; i < options.users.size(); ++i) {
        add_user(figures.series, options, record, i);
        const auto inner = inner_cv(record.users[i]);
        any_inner = any_inner || inner;
        groups.push_back({.share = nanoseconds(record.together.cpu_time[i]) / nanoseconds(all),
                          .entitlement = expected[i],
                          .cv = inner.value_or(0)});
        const std::string& name = options.users[i].name;
        figures.series.push_back(single("cpu_share", name, groups.back().share));
        figures.series.push_back(single("expected_share", name, expected[i]));
    }
    for (Series& series : shares_over_time(options, record)) {
        figures.series.push_back(std::move(series));
    }
    auto fair = fairness(groups, efficiency_of(options, record, solo, cpus));
    if (!fair) {
        return fair.error();
    }
    figures.fairness = *fair;
    const auto add = [&](std::string_view name, std::optional<double> value) {
        figures.series.push_back(single(name, {}, value));
    };
    add("makespan",
        options.end() == Ending::work ? std::optional(nanoseconds(record.elapsed)) : std::nullopt);
    add("cpu_used", seconds(all) / seconds(record.together.at) / usable_cpus(users, cpus));
    add("misallocated", fair->misallocated);
    add("jain", fair->jain_between);
    add("within", any_inner ? std::optional(fair->within) : std::nullopt);
    add("efficiency", fair->efficiency);
    add("fairness", fair->number);
    return figures;
}

std::optional<std::string> efficiency_taint(std::optional<double> efficiency,
                                            std::string_view reference) {
    constexpr double kMostNoise = 1.1;
    if (!efficiency || *efficiency <= kMostNoise) {
        return std::nullopt;
    }
    return fmt::format(
        "efficiency {:.2f}: the machine gave {} less than the users had here, which makes a poor "
        "reference",
        *efficiency, reference);
}

std::string share_model(std::int64_t cpus) {
    return fmt::format(
        "{} CPU{} split by the users' weights; a user can't use more CPUs than it "
        "has jobs, what it leaves goes to the others; shares are of what all use "
        "together",
        cpus, cpus == 1 ? "" : "s");
}

}  // namespace bench::fairuser
