#include "latt/options.h"

#include "common/options.h"

namespace bench::latt {

std::string_view wake_kind_text(WakeKind kind) {
    switch (kind) {
        case WakeKind::pipe:
            return "pipe";
        case WakeKind::futex:
            return "futex";
        case WakeKind::eventfd:
            return "eventfd";
    }
    return "?";
}

void add_options(CLI::App& app, Options& options) {
    app.add_flag("--threads", options.threads,
                 "Clients are threads of one process instead of processes");
    std::vector<std::pair<std::string, WakeKind>> kinds;
    for (const WakeKind kind : {WakeKind::pipe, WakeKind::futex, WakeKind::eventfd}) {
        kinds.emplace_back(wake_kind_text(kind), kind);
    }
    add_choice_option(app, "--wake", options.wake, "How clients are woken, and answer", kinds);
    add_duration_option(app, "--min-wait", options.min_wait, "Shortest wait between two rounds",
                        Duration::zero(), longest_wait);
    add_duration_option(app, "--max-wait", options.max_wait,
                        "Longest wait between two rounds; waits are uniform between the two",
                        Duration::zero(), longest_wait);
    add_size_option(app, "--work", options.work,
                    "Random data each client makes and deflates once awake; 0 for none", ByteSize{},
                    max_work);
}

Status check(const Options& options) {
    if (options.min_wait > options.max_wait) {
        return plain_error("option", "--min-wait",
                           format_duration(options.min_wait) + " is longer than --max-wait " +
                               format_duration(options.max_wait));
    }
    return {};
}

std::vector<std::pair<std::string, std::string>> variant(const Options& options) {
    const Options defaults;
    std::vector<std::pair<std::string, std::string>> pairs;
    if (options.max_wait != defaults.max_wait) {
        pairs.emplace_back("max_wait", format_duration(options.max_wait));
    }
    if (options.min_wait != defaults.min_wait) {
        pairs.emplace_back("min_wait", format_duration(options.min_wait));
    }
    if (options.threads) {
        pairs.emplace_back("threads", "on");
    }
    if (options.wake != defaults.wake) {
        pairs.emplace_back("wake", wake_kind_text(options.wake));
    }
    if (options.work != defaults.work) {
        pairs.emplace_back("work", format_size(options.work));
    }
    return pairs;
}

}  // namespace bench::latt
