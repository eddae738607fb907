#include "runner/cell_run.h"

#include <algorithm>
#include <ctime>
#include <exception>
#include <new>

#include "common/affinity.h"
#include "common/environment.h"
#include "common/guest_pause.h"
#include "common/kernel_sched_attr.h"
#include "common/log.h"
#include "common/tool_version.h"

namespace bench {
namespace {

/// Workers that ran under the same parameters are one entry with a count.
Json describe_workers(const std::vector<WorkerReadback>& workers) {
    Json groups = Json::array();
    std::vector<WorkerReadback> distinct;
    std::vector<std::int64_t> counts;
    for (const auto& worker : workers) {
        std::size_t at = 0;
        while (at < distinct.size() && !(distinct[at] == worker)) {
            ++at;
        }
        if (at == distinct.size()) {
            distinct.push_back(worker);
            counts.push_back(0);
        }
        ++counts[at];
    }
    for (std::size_t i = 0; i < distinct.size(); ++i) {
        groups.push_back({{"count", counts[i]},
                          {"policy", distinct[i].sched.policy_text()},
                          {"nice", distinct[i].sched.nice},
                          {"reset_on_fork", distinct[i].sched.reset_on_fork},
                          {"cpus_allowed", distinct[i].cpus_allowed},
                          {"timer_slack_ns", distinct[i].timer_slack_ns}});
        const SchedAttributes& sched = distinct[i].sched;
        // Under the fair policies the kernel reports the slice as the runtime (Linux 6.12+).
        if (sched.runtime_ns != 0 && sched.deadline_ns == 0) {
            groups.back()["slice_ns"] = sched.runtime_ns;
        }
        if (sched.util_min && sched.util_max) {
            groups.back()["uclamp"] = {*sched.util_min, *sched.util_max};
        }
    }
    return groups;
}

Json describe_load(const LoadOptions& load) {
    if (load.spec.kind == LoadKind::none) {
        return {{"load", load.spec.text}};
    }
    return {{"load", load.spec.text},
            {"copies", load.copies},
            {"session", load.own_session ? "own" : "run"}};
}

std::string uname_release(const Json& environment) {
    if (environment.contains("kernel") && environment["kernel"].contains("release")) {
        return environment["kernel"]["release"].get<std::string>();
    }
    return {};
}

std::string scheduler_name(const Json& environment) {
    if (environment.contains("scheduler") && environment["scheduler"].contains("name")) {
        return environment["scheduler"]["name"].get<std::string>();
    }
    return {};
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

/// Between two rests of such a load the guest's other CPUs stand still.
bool load_pauses(LoadKind kind) {
    return kind == LoadKind::none || kind == LoadKind::spin;
}

/// The cell under way: fills the record step by step.
class CellRun {
  public:
    CellRun(Benchmark& benchmark, CellOptions& options, StopSource& stop, const SystemRoot& system)
        : benchmark_(benchmark), options_(options), stop_(stop), system_(system) {}

    CellRecord& record() { return record_; }

    void run() {
        record_.cell = options_.cell;
        record_.metrics = benchmark_.metrics();
        record_.details = Json::object();
        workloads_pause = options_.pause;
        const Status switched = set_switches();
        // Before pinning: an environment tells of the machine and what we were given of it.
        record_.environment = capture_environment(system_);
        auto placed = place_on_cpus();
        describe();
        auto load = prepare(switched, placed);
        if (!load) {
            not_run(load.error());
            return;
        }
        for (const Metric& metric : (*load)->metrics()) {
            record_.metrics.push_back(metric);
        }
        measure(**load);
    }

  private:
    void not_run(const Error& error) {
        record_.status = RowStatus::not_run;
        record_.reason = error.message();
    }

    void fail(std::string reason) {
        record_.status = RowStatus::failed;
        record_.reason = std::move(reason);
        record_.series.clear();
        record_.summaries.clear();
    }

    /// Before anything is read of the machine: it is the switched one that is measured.
    Status set_switches() {
        if (options_.switches.empty()) {
            return {};
        }
        auto applied = SchedulerSwitches::apply(options_.switches, stop_, system_);
        if (!applied) {
            return applied.error();
        }
        switches_ = std::move(*applied);
        record_.details["switches"] = switches_->description();
        return {};
    }

    void restore_switches() {
        if (!switches_) {
            return;
        }
        append(record_.taints, switches_->changes());
        if (const Status restored = switches_->restore(); !restored) {
            record_.taints.push_back(restored.error().message());
        }
    }

    [[nodiscard]] WorkerSettings worker_settings() const {
        WorkerSettings settings = options_.settings;
        if (options_.pin) {
            settings.pin_to = used_cpus_.cpus();
        }
        return settings;
    }

    /// What a worker ran under is what counts, not what was asked.
    void check_workers(const std::vector<WorkerReadback>& workers) {
        for (const WorkerReadback& worker : workers) {
            for (const auto& difference : settings_differences(options_.settings, worker)) {
                fail("a worker ran with " + difference);
            }
        }
    }

    /// What nobody asked for but all workers ran under, because bench itself was started so (chrt,
    /// nice), makes another variant all the same.
    void name_inherited(const std::vector<WorkerReadback>& workers) {
        if (workers.empty()) {
            return;
        }
        const SchedAttributes& first = workers.front().sched;
        const bool alike = std::all_of(workers.begin(), workers.end(), [&](const auto& worker) {
            return worker.sched.policy_text() == first.policy_text() &&
                   worker.sched.nice == first.nice;
        });
        if (!alike) {
            return;
        }
        std::vector<std::pair<std::string, std::string>> inherited;
        if (!options_.settings.policy && first.policy != kSchedOther) {
            inherited.emplace_back("policy", first.policy_text());
        }
        if (!options_.settings.nice && first.nice != 0) {
            inherited.emplace_back("nice", std::to_string(first.nice));
        }
        for (const auto& [key, value] : inherited) {
            record_.notes.push_back(key + " " + value + " was inherited: bench was started so");
        }
        auto pairs = parse_variant(record_.key.variant);
        pairs.insert(pairs.end(), inherited.begin(), inherited.end());
        record_.key.variant = format_variant(std::move(pairs));
    }

    /// Every worker and the load inherit the mask from this process.
    Status place_on_cpus() {
        auto allowed = get_affinity();
        if (!allowed) {
            return allowed.error();
        }
        if (!options_.cpus) {
            used_cpus_ = *allowed;
            return {};
        }
        if (auto usable = check_cpus_usable(*options_.cpus, *allowed, system_); !usable) {
            return usable;
        }
        if (auto set = set_affinity(*options_.cpus); !set) {
            return set;
        }
        auto now = get_affinity();
        if (!now) {
            return now.error();
        }
        used_cpus_ = *now;
        options_.cpus = *now;  // the row says what the kernel says
        return {};
    }

    void describe() {
        if (!options_.scheduler.empty()) {
            record_.environment["scheduler"]["name_override"] = options_.scheduler;
        }
        record_.key.test = benchmark_.name();
        record_.key.kernel = uname_release(record_.environment);
        record_.key.scheduler =
            options_.scheduler.empty() ? scheduler_name(record_.environment) : options_.scheduler;
        record_.key.variant = cell_variant(options_, benchmark_);
        if (benchmark_.has_clients()) {
            record_.key.clients = options_.plan.clients;
        }
        record_.key.seed = options_.plan.seed;
        record_.details["duration_ns"] =
            benchmark_.has_duration() ? Json(options_.plan.duration.count()) : Json(nullptr);
        record_.details["load"] = describe_load(options_.load);
        if (options_.cpus || !used_cpus_.empty()) {
            append(record_.notes, environment_notes(record_.environment, used_cpus_));
        }
    }

    Result<std::unique_ptr<Load>> prepare(const Status& switched, const Status& placed) {
        for (const Status& done : {switched, placed}) {
            if (!done) {
                return done.error();
            }
        }
        if (auto able = benchmark_.check_requirements(options_.plan, system_); !able) {
            return able.error();
        }
        if (auto ready = benchmark_.prepare(options_.plan, system_, stop_); !ready) {
            return ready.error();
        }
        return prepare_load(options_.load, system_);
    }

    void measure(Load& load) {
        const Json before = capture_state(system_);
        record_.details["started"] = utc_extended(std::time(nullptr));
        if (auto started = load.start(); !started) {
            not_run(started.error());
            return;
        }
        stop_.watch_load(load.event_fd());
        const TimePoint begin = MonotonicClock::now();
        stop_.set_deadline(begin + options_.plan.duration);
        auto outcome = run_test();
        const Duration elapsed = MonotonicClock::now() - begin;
        stop_.watch_load(-1);
        auto load_outcome = load.stop(begin);
        const Json after = capture_state(system_);
        record_.details["elapsed_ns"] = elapsed.count();
        record_.details["state_before"] = before;
        record_.details["state_after"] = after;
        if (!outcome && outcome.error().not_started) {
            not_run(outcome.error());
        } else if (!outcome) {
            fail(outcome.error().message());
        } else {
            take(std::move(*outcome));
        }
        take_load(load_outcome);
        if (workloads_pause && !load_pauses(options_.load.spec.kind)) {
            record_.taints.emplace_back(
                "the load does not PAUSE, and the guest's CPUs take turns: see vcpu_gap");
        }
        append(record_.taints, state_taints(before, after));
        restore_switches();
        if (record_.status == RowStatus::ok && !record_.taints.empty()) {
            record_.status = RowStatus::tainted;
        }
    }

    Result<CellOutcome> run_test() {
        try {
            return benchmark_.run(CellContext{options_.plan, system_, stop_, worker_settings()});
        } catch (const std::bad_alloc&) {
            return plain_error(std::string(benchmark_.name()), "", "out of memory");
        } catch (const std::exception& exception) {
            return plain_error(std::string(benchmark_.name()), "", exception.what());
        }
    }

    void take(CellOutcome outcome) {
        record_.series = std::move(outcome.series);
        record_.summaries = std::move(outcome.summaries);
        append(record_.taints, outcome.taints);
        append(record_.notes, outcome.notes);
        record_.details["workers"] = describe_workers(outcome.workers);
        check_workers(outcome.workers);
        name_inherited(outcome.workers);
        if (!outcome.details.is_null()) {
            record_.details[std::string(benchmark_.name())] = std::move(outcome.details);
        }
    }

    void take_load(Result<LoadOutcome>& outcome) {
        if (!outcome) {
            record_.taints.push_back(outcome.error().message());
            return;
        }
        // Before what the test found: an early end is the cause of it.
        record_.taints.insert(record_.taints.begin(), outcome->taints.begin(),
                              outcome->taints.end());
        if (!outcome->output_tail.empty()) {
            record_.details["load"]["output_tail"] = outcome->output_tail;
        }
        if (record_.status == RowStatus::ok) {
            for (auto& series : outcome->series) {
                record_.series.push_back(std::move(series));
            }
        }
    }

    Benchmark& benchmark_;
    CellOptions& options_;
    StopSource& stop_;
    const SystemRoot& system_;
    CpuSet used_cpus_;
    std::unique_ptr<SchedulerSwitches> switches_;
    CellRecord record_;
};

}  // namespace

Json tool_identity() {
    return {{"name", "bench"},
            {"version", tool_version().version},
            {"revision", tool_version().revision},
            {"compiler", tool_version().compiler},
            {"build_type", tool_version().build_type}};
}

Result<CellEnd> run_cell(Benchmark& benchmark, CellOptions options, StopSource& stop,
                         const std::vector<std::string>& command, const SystemRoot& system) {
    auto writer =
        BundleWriter::create(options.bundle, {{"tool", tool_identity()},
                                              {"command", command},
                                              {"created", utc_extended(std::time(nullptr))}});
    if (!writer) {
        return writer.error();
    }
    CellRun run(benchmark, options, stop, system);
    run.run();
    if (stop.signal_number() != 0) {
        CellEnd end{RowStatus::failed, "stopped by a signal", stop.signal_number()};
        if (auto finished = writer->finish("incomplete", end.reason); !finished) {
            return finished.error();
        }
        return end;
    }
    if (auto added = writer->add(run.record()); !added) {
        return added.error();
    }
    if (auto finished = writer->finish("complete"); !finished) {
        return finished.error();
    }
    return CellEnd{run.record().status, run.record().reason, 0};
}

}  // namespace bench
