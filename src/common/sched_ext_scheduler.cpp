#include "common/sched_ext_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <thread>
#include <vector>

#include "common/environment_sections.h"
#include "common/environment_text.h"
#include "common/file_tail.h"
#include "common/program_search.h"
#include "common/units.h"

namespace bench {
namespace {

constexpr std::string_view kFolder = "/sys/kernel/sched_ext";
constexpr std::string_view kLoadCount = "/sys/kernel/sched_ext/enable_seq";
constexpr Duration kBetweenLooks = std::chrono::milliseconds(10);

/// What the kernel tells of the scheduler that is loaded.
Json kernel_facts(const SystemRoot& system) {
    Json facts = environment::sched_ext_section(system);
    // Tasks that the scheduler did not want: the fair class schedules them.
    environment::put(facts, "nr_rejected",
                     system.read_integer(fmt::format("{}/nr_rejected", kFolder)));
    return facts;
}

std::string text_of(const Json& facts, const char* key) {
    return facts.value(key, std::string());
}

/// Bytes that would break a line or a terminal become blanks.
std::string printable(std::string_view text) {
    std::string clean(text);
    std::replace_if(
        clean.begin(), clean.end(),
        [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
    return clean;
}

}  // namespace

Status SchedExtScheduler::check(const SystemRoot& system, const std::string& program) {
    const std::string object = "sched_ext scheduler " + program;
    const std::optional<std::string> state =
        environment::fact(system, fmt::format("{}/state", kFolder));
    if (!state) {
        return plain_error("start", object,
                           "this kernel has no sched_ext (CONFIG_SCHED_CLASS_EXT)");
    }
    if (*state != "disabled") {
        const std::string ops = text_of(kernel_facts(system), "ops");
        return plain_error("start", object,
                           fmt::format("another one is loaded: {}state {}; stop it first",
                                       ops.empty() ? "" : ops + ", ", *state));
    }
    if (!find_program(program)) {
        return plain_error("start", object,
                           program.find('/') == std::string::npos
                               ? "no such program in PATH"
                               : "there is no executable file of that name");
    }
    return {};
}

Result<std::unique_ptr<SchedExtScheduler>> SchedExtScheduler::start(const Options& options,
                                                                    const Guardian& outlived_by,
                                                                    StopSource& stop,
                                                                    const SystemRoot& system) {
    if (const Status ready = check(system, options.program); !ready) {
        return ready.error();
    }
    const auto path = find_program(options.program);
    const auto loads_before = system.read_integer(kLoadCount);
    SupervisedCommand command;
    command.argv = {path.value_or(options.program).string()};
    command.output = options.output;
    Guardian::Options supervision;
    supervision.commands.push_back(std::move(command));
    supervision.outlived_by = &outlived_by;
    Result<Guardian> guardian = Guardian::start(std::move(supervision));
    if (!guardian) {
        return guardian.error();
    }
    std::unique_ptr<SchedExtScheduler> scheduler(new SchedExtScheduler(
        options, path.value_or(options.program), system, std::move(guardian).value()));
    scheduler->loads_before_ = loads_before;
    if (const Status enabled = scheduler->await_enabled(stop); !enabled) {
        Error error = enabled.error();
        if (const Status stopped = scheduler->stop(); !stopped) {
            error.detail += "; then: " + stopped.error().message();
        }
        return error;
    }
    return scheduler;
}

Status SchedExtScheduler::await_enabled(StopSource& stop) {
    const auto refuse = [&](const std::string& why) {
        return plain_error("start", "sched_ext scheduler " + options_.program, why);
    };
    const TimePoint give_up = MonotonicClock::now() + options_.patience;
    while (true) {
        // Its end goes first: a program that has ended leaves no scheduler behind.
        const std::vector<SupervisedExit>& exits = guardian_.poll_exits();
        if (!exits.empty() || guardian_.gone()) {
            return refuse("it ended before the kernel reported a scheduler enabled: " +
                          (exits.empty() ? "killed" : exits[0].text()) + last_words());
        }
        // The kernel counts the load a moment after it reports it.
        if (state() == "enabled" && loads().value_or(1) > 0) {
            started_ = kernel_facts(system_);
            return {};
        }
        const TimePoint now = MonotonicClock::now();
        if (now >= give_up) {
            return refuse(fmt::format("the kernel still reports state {} after {}{}", state(),
                                      format_duration_human(options_.patience), last_words()));
        }
        if (stop.wait_until(now + kBetweenLooks) != StopReason::none) {
            return refuse("stopped while it was started");
        }
    }
}

std::string SchedExtScheduler::state() const {
    return environment::fact(system_, fmt::format("{}/state", kFolder)).value_or("unknown");
}

std::optional<std::int64_t> SchedExtScheduler::loads() const {
    const auto now = system_.read_integer(kLoadCount);
    return now && loads_before_ ? std::optional(*now - *loads_before_) : std::nullopt;
}

std::string SchedExtScheduler::last_words() const {
    constexpr std::size_t kMostBytes = 600;
    constexpr std::size_t kMostLines = 4;
    const std::string tail = file_tail(options_.output, kMostBytes);
    const std::vector<std::string_view> lines = environment::lines(tail);
    std::string words;
    for (std::size_t i = lines.size() - std::min(lines.size(), kMostLines); i < lines.size(); ++i) {
        words += (words.empty() ? "; it said: " : " | ") + printable(environment::trim(lines[i]));
    }
    return words;
}

Json SchedExtScheduler::description() const {
    Json json = {{"asked", options_.program}, {"program", path_.string()}};
    json.update(started_);
    return json;
}

std::optional<std::string> SchedExtScheduler::change() {
    const Json now = kernel_facts(system_);
    const std::string ops = text_of(started_, "ops");
    const std::string name =
        ops.empty() ? options_.program : fmt::format("{} ({})", options_.program, ops);
    const std::string state = text_of(now, "state");
    const std::string kernel_says = "the kernel reports " + (state.empty() ? "nothing" : state);
    const std::vector<SupervisedExit>& exits = guardian_.poll_exits();
    if (!exits.empty() || guardian_.gone()) {
        return fmt::format("sched_ext scheduler {} ended during the cell: {}, {}{}", name,
                           exits.empty() ? "killed" : exits[0].text(), kernel_says, last_words());
    }
    if (state != "enabled") {
        return fmt::format("sched_ext scheduler {} was thrown out while its program ran on: {}{}",
                           name, kernel_says, last_words());
    }
    if (text_of(now, "ops") != ops) {
        return fmt::format("sched_ext scheduler {} was replaced by {}", name, text_of(now, "ops"));
    }
    if (loads().value_or(1) > 1) {
        return fmt::format("sched_ext scheduler {} was loaded anew{}", name, last_words());
    }
    const std::int64_t rejected =
        now.value("nr_rejected", std::int64_t{0}) - started_.value("nr_rejected", std::int64_t{0});
    if (rejected > 0) {
        return fmt::format("sched_ext scheduler {} rejected {} tasks: the fair class ran them",
                           name, rejected);
    }
    return std::nullopt;
}

Status SchedExtScheduler::stop(Duration patience) {
    // As Ctrl-C, which these programs expect. A guardian that somebody killed matters only if
    // something is left.
    static_cast<void>(guardian_.stop(patience, SIGINT));
    const TimePoint give_up = MonotonicClock::now() + patience;
    while (state() != "disabled" && MonotonicClock::now() < give_up) {
        std::this_thread::sleep_for(kBetweenLooks);
    }
    if (const std::string left = state(); left != "disabled") {
        return plain_error("stop", "sched_ext scheduler " + options_.program,
                           fmt::format("the kernel still reports state {}{}", left, last_words()));
    }
    return {};
}

}  // namespace bench
