#include "latt/latt.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cstring>

#include "common/signal_name.h"
#include "latt/classic.h"
#include "latt/classic_import.h"
#include "latt/requirements.h"
#include "latt/series.h"
#include "latt/session.h"

namespace bench::latt {
namespace {

using namespace std::chrono_literals;

Json optional_json(const std::optional<std::int64_t>& value) {
    return value ? Json(*value) : Json(nullptr);
}

// What can't be told from the samples, or tells whether two cells may be compared.
Json make_details(const Session& session, const Options& options, std::uint32_t clients) {
    Json details;
    details["wake"] = wake_kind_text(options.wake);
    details["clients_are"] = options.threads ? "threads" : "processes";
    details["min_wait_ns"] = options.min_wait.count();
    details["max_wait_ns"] = options.max_wait.count();
    details["work_bytes"] = options.work.bytes;
    details["zlib_version"] = zlibVersion();
    details["zlib_level"] = compression_level;
    details["seed_derivation"] =
        "SplitMix64 streams of the seed: 0 draws the waits, i + 1 seeds client i's rand() (32 "
        "bits)";
    details["rounds"] = session.recording().rounds.size();
    details["waker_timer_slack_ns"] = timer_slack_ns();
    Json list = Json::array();
    const auto windows = client_windows(session.recording(), clients);
    for (std::uint32_t client = 0; client < clients; ++client) {
        list.push_back({{"client", client},
                        {"pid", session.clients().pid(client)},
                        {"first_ns", optional_json(windows[client].first_ns)},
                        {"last_ns", optional_json(windows[client].last_ns)}});
    }
    details["client_windows"] = std::move(list);
    return details;
}

}  // namespace

std::string_view Latt::summary() const {
    return "how long after a wake-up clients run, and how long their work takes, under a load";
}

void Latt::add_options(CLI::App& app) {
    latt::add_options(app, options_);
}
Status Latt::check_options() const {
    return check(options_);
}
std::vector<std::pair<std::string, std::string>> Latt::variant() const {
    return latt::variant(options_);
}
std::vector<Metric> Latt::metrics() const {
    return latt::metrics(options_);
}
std::vector<TableColumn> Latt::table() const {
    return latt::table(options_);
}

Status Latt::check_requirements(const CellPlan& plan, const SystemRoot& system) const {
    return latt::check_requirements(options_, static_cast<std::uint64_t>(plan.clients), system);
}

Result<CellOutcome> Latt::run(const CellContext& context) {
    const auto clients = static_cast<std::uint32_t>(context.plan.clients);
    auto started = Session::start({.options = options_,
                                   .clients = clients,
                                   .seed = context.plan.seed,
                                   .work = work_,
                                   .settings = context.settings},
                                  context.stop, context.system);
    if (!started) {
        return started.error();
    }
    Session& session = **started;
    context.stop.set_deadline(MonotonicClock::now() + context.plan.duration);
    const auto reason = session.run();
    if (!reason) {
        return reason.error();
    }
    const bool interrupted = *reason == StopReason::signal;
    // After a signal clients may be deep in their work: they are not waited for.
    const Status finished = session.finish(interrupted ? 200ms : 60s);
    if (!finished && !interrupted) {
        return finished.error();
    }

    Figures figures = make_figures(session.recording(), options_, session.accounting());
    CellOutcome outcome;
    outcome.series = std::move(figures.series);
    outcome.taints = std::move(figures.taints);
    if (interrupted) {
        outcome.taints.push_back("stopped by " + signal_name(context.stop.signal_number()) +
                                 " before its time was up");
    }
    if (session.recording().rounds.empty()) {
        outcome.taints.emplace_back("no round was finished: the cell was too short for its waits");
    }
    for (std::uint32_t client = 0; client < clients; ++client) {
        outcome.workers.push_back(session.clients().readback(client));
    }
    outcome.details = make_details(session, options_, clients);
    return outcome;
}

int Latt::classic_main(int argc, char** argv) {
    return latt::classic_main(argc, argv);
}
Result<ImportedCell> Latt::import_classic(std::string_view text) const {
    return latt::import_classic(text);
}

std::unique_ptr<Benchmark> make_benchmark() {
    return std::make_unique<Latt>();
}

}  // namespace bench::latt
