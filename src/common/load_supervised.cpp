#include "common/load_supervised.h"

#include <fmt/format.h>

#include <algorithm>

#include <set>

#include "common/file_tail.h"
#include "common/temporary_folder.h"

namespace bench {
namespace {

constexpr std::size_t kTailBytes = 4096;

class SupervisedLoad final : public Load {
  public:
    explicit SupervisedLoad(LoadPlan plan) : plan_(std::move(plan)) {}

    // The processes go before the folder they write to.
    ~SupervisedLoad() override { guardian_.reset(); }
    SupervisedLoad(const SupervisedLoad&) = delete;
    SupervisedLoad& operator=(const SupervisedLoad&) = delete;

    Status start() override {
        Guardian::Options options;
        options.commands = plan_.commands;
        options.own_session = plan_.own_session;
        options.outlived_by = plan_.folder ? &*plan_.folder : nullptr;
        Result<Guardian> guardian = Guardian::start(std::move(options));
        if (!guardian) {
            return guardian.error();
        }
        guardian_.emplace(std::move(guardian).value());
        plan_.fds.clear();
        return {};
    }

    [[nodiscard]] int event_fd() const override { return guardian_ ? guardian_->event_fd() : -1; }

    Result<LoadOutcome> stop(TimePoint started) override {
        LoadOutcome outcome;
        if (!guardian_) {
            return outcome;
        }
        const std::vector<SupervisedExit> early = guardian_->poll_exits();
        if (const Status stopped = guardian_->stop(plan_.grace); !stopped) {
            outcome.taints.push_back("load failed: " + stopped.error().message());
        }
        judge(early, started, outcome);
        if (plan_.measure) {
            plan_.measure(outcome);
        }
        if (plan_.folder) {
            if (const Status removed = plan_.folder->stop(Duration::zero()); !removed) {
                outcome.taints.push_back("load left files: " + removed.error().message());
            }
        }
        guardian_.reset();
        return outcome;
    }

    [[nodiscard]] std::vector<Metric> metrics() const override { return plan_.metrics; }

  private:
    /// One taint for each copy of which a process ended before we stopped it.
    void judge(const std::vector<SupervisedExit>& early, TimePoint started,
               LoadOutcome& outcome) const {
        std::set<std::size_t> told;
        for (const SupervisedExit& one : early) {
            if (!told.insert(one.index / plan_.commands_per_copy).second) {
                continue;
            }
            outcome.taints.push_back(taint(one, started));
            if (!one.clean() && !outcome.first_failure) {
                outcome.first_failure = one.wait_status;
                outcome.output_tail = file_tail(plan_.commands[one.index].output, kTailBytes);
            }
        }
    }

    [[nodiscard]] std::string taint(const SupervisedExit& one, TimePoint started) const {
        constexpr std::int64_t kMsPerSecond = 1000;
        const std::int64_t ms = (one.at - started) / std::chrono::milliseconds(1);
        const std::int64_t size = std::abs(ms);
        const std::string time =
            fmt::format("{}{}.{:03}s", ms < 0 ? "-" : "", size / kMsPerSecond, size % kMsPerSecond);
        const std::size_t copies = plan_.commands.size() / plan_.commands_per_copy;
        const std::string which =
            copies == 1 ? "load"
                        : fmt::format("load copy {} of {}", one.index / plan_.commands_per_copy + 1,
                                      copies);
        return one.clean() ? fmt::format("{} ended at t={} ({})", which, time, one.text())
                           : fmt::format("{} failed at t={}: {}", which, time, one.text());
    }

    LoadPlan plan_;
    std::optional<Guardian> guardian_;
};

class NoLoad final : public Load {
  public:
    Status start() override { return {}; }
    [[nodiscard]] int event_fd() const override { return -1; }
    Result<LoadOutcome> stop(TimePoint) override { return LoadOutcome{}; }
};

Result<LoadPlan> make_plan(const LoadOptions& options, const SystemRoot& system) {
    switch (options.spec.kind) {
        case LoadKind::spin:
            return plan_spin(options, system);
        case LoadKind::pipe:
            return plan_pipe(options, system);
        case LoadKind::compile:
            return plan_compile(options);
        case LoadKind::video:
            return plan_video(options);
        case LoadKind::command:
            return plan_command(options);
        case LoadKind::none:
            break;
    }
    return LoadPlan{};
}

}  // namespace

std::unique_ptr<Load> make_supervised_load(LoadPlan plan) {
    return std::make_unique<SupervisedLoad>(std::move(plan));
}

Result<Guardian> make_load_folder() {
    Guardian::Options options;
    options.scratch_prefix = temporary_prefix("bench-load");
    return Guardian::start(std::move(options));
}

Result<std::unique_ptr<Load>> prepare_load(const LoadOptions& options, const SystemRoot& system) {
    if (options.spec.kind == LoadKind::none) {
        return std::unique_ptr<Load>(std::make_unique<NoLoad>());
    }
    Result<LoadPlan> plan = make_plan(options, system);
    if (!plan) {
        return plan.error();
    }
    plan->own_session = options.own_session;
    return make_supervised_load(std::move(plan).value());
}

}  // namespace bench
