#include "massive_intr/massive_intr.h"

#include <fmt/format.h>

#include <ctime>

#include "common/available_memory.h"
#include "massive_intr/classic.h"
#include "massive_intr/import.h"
#include "massive_intr/series.h"

namespace bench::massive_intr {
namespace {

Json describe(const Calibration& calibration) {
    if (calibration.given) {
        return nullptr;
    }
    return {{"rounds", calibration.rounds},
            {"spread", calibration.spread},
            {"cpu", calibration.cpu < 0 ? Json(nullptr) : Json(calibration.cpu)}};
}

// What can't be told from the samples, or tells whether two cells may be compared.
Json make_details(const Recording& recording, const Options& options,
                  const Calibration& calibration, Duration resolution) {
    Json details;
    details["work_ns"] = options.work.count();
    details["sleep_ns"] = options.sleep.count();
    details["loops_per_ms"] = calibration.loops_per_ms;
    details["loops_per_ms_given"] = calibration.given;
    details["calibration"] = describe(calibration);
    details["timer_resolution_ns"] = resolution.count();
    std::uint64_t unsampled = 0;
    Json processes = Json::array();
    for (std::size_t index = 0; index < recording.size(); ++index) {
        const ProcessRecord& process = recording[index];
        processes.push_back({{"process", index},
                             {"pid", process.pid},
                             {"finished", process.place + 1},
                             {"elapsed_ns", process.elapsed.count()}});
        unsampled += process.unsampled;
    }
    details["unsampled_sleeps"] = unsampled;
    details["processes"] = std::move(processes);
    return details;
}

}  // namespace

Duration timer_resolution() {
    timespec resolution{};
    ::clock_getres(CLOCK_MONOTONIC, &resolution);
    return std::chrono::seconds(resolution.tv_sec) + std::chrono::nanoseconds(resolution.tv_nsec);
}

SessionPlan session_plan(const Options& options, std::int64_t processes, Duration duration) {
    SessionPlan plan;
    plan.processes = static_cast<std::uint32_t>(processes);
    plan.duration = duration;
    plan.work = options.work;
    plan.sleep = options.sleep;
    return plan;
}

Status check_requirements(const SessionPlan& plan, const SystemRoot& system) {
    const WorkerNeeds needs{
        .workers = plan.processes, .kind = WorkerKind::process, .parent_fds = 0};
    if (Status reserved = reserve_for_workers(needs, system); !reserved) {
        return reserved;
    }
    return check_available_memory(session_memory(plan),
                                  fmt::format("for the samples of {} processes", plan.processes),
                                  "fewer processes or a shorter run need less", system);
}

std::string_view MassiveIntr::summary() const {
    return "how evenly N processes that work 8 ms and sleep 1 ms get on, and how far";
}

void MassiveIntr::add_options(CLI::App& app) {
    massive_intr::add_options(app, options_);
}
std::vector<std::pair<std::string, std::string>> MassiveIntr::variant() const {
    return massive_intr::variant(options_);
}
std::vector<Metric> MassiveIntr::metrics() const {
    return massive_intr::metrics();
}
std::vector<TableColumn> MassiveIntr::table() const {
    return massive_intr::table();
}

Status MassiveIntr::check_requirements(const CellPlan& plan, const SystemRoot& system) const {
    return massive_intr::check_requirements(session_plan(options_, plan.clients, plan.duration),
                                            system);
}

Status MassiveIntr::prepare(const CellPlan& /*plan*/, const SystemRoot& /*system*/,
                            StopSource& stop) {
    if (options_.loops_per_ms) {
        calibration_ = Calibration{.loops_per_ms = *options_.loops_per_ms, .given = true};
        return {};
    }
    auto calibration = calibrate_here(stop);
    if (!calibration) {
        Error error = calibration.error();
        error.not_started = true;
        if (stop.signal_number() == 0) {
            error.detail += "; or give --loops-per-ms";
        }
        return error;
    }
    calibration_ = *calibration;
    return {};
}

Result<CellOutcome> MassiveIntr::run(const CellContext& context) {
    if (!calibration_) {
        if (Status prepared = prepare(context.plan, context.system, context.stop); !prepared) {
            return prepared.error();
        }
    }
    SessionPlan plan = session_plan(options_, context.plan.clients, context.plan.duration);
    plan.loops = work_loops(calibration_->loops_per_ms, options_.work);
    plan.settings = context.settings;
    const auto recording = run_session(plan, context.stop, context.system);
    if (!recording) {
        return recording.error();
    }
    Figures figures = make_figures(*recording, options_.work);
    CellOutcome outcome;
    outcome.series = std::move(figures.series);
    outcome.taints = std::move(figures.taints);
    const Duration resolution = resolution_();
    if (auto taint = coarse_timer_taint(resolution, options_.sleep)) {
        outcome.taints.push_back(std::move(*taint));
    }
    if (auto taint = overrun_taint(*recording, plan.duration)) {
        outcome.taints.push_back(std::move(*taint));
    }
    // Without a calibration there is no speed to have kept.
    if (!calibration_->given) {
        if (auto note = cpu_speed_note(cpu_speed(*recording, options_.work))) {
            outcome.notes.push_back(std::move(*note));
        }
    }
    for (const ProcessRecord& process : *recording) {
        outcome.workers.push_back(process.readback);
    }
    outcome.details = make_details(*recording, options_, *calibration_, resolution);
    return outcome;
}

int MassiveIntr::classic_main(int argc, char** argv) {
    return massive_intr::classic_main(argc, argv);
}

Result<ImportedCell> MassiveIntr::import_classic(std::string_view text) const {
    return massive_intr::import_classic(text);
}

std::unique_ptr<Benchmark> make_benchmark() {
    return std::make_unique<MassiveIntr>();
}

}  // namespace bench::massive_intr
