#include "runner/cell_axes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace bench {
namespace {

/// The value of a parser, or the exception that CLI11 turns into the one line of an error.
template <class T>
T required(const char* option, const std::string& text, Result<T> parsed) {
    if (!parsed) {
        const std::string quoted = "'" + text + "'";
        const std::string& detail = parsed.error().detail;
        throw CLI::ValidationError(
            option, detail.find('\'') == std::string::npos ? quoted + ": " + detail : detail);
    }
    return std::move(parsed).value();
}

/// Settings made at once are the same in any order.
std::string any_order(std::vector<std::string> parts) {
    std::sort(parts.begin(), parts.end());
    return fmt::format("{}", fmt::join(parts, ","));
}

void add_common_axes(std::vector<CellAxis>& axes) {
    const auto add = [&axes](const char* option, const char* type, const char* help, AxisList list,
                             std::function<std::string(CellOptions&, const std::string&)> apply) {
        axes.push_back({option, type, help, list, std::move(apply)});
    };
    add("--sysctl", "KEY=VALUE",
        "Kernel setting in force during the cell, put back after it; several at once with commas; "
        "none: as it is",
        AxisList::repeat, [](CellOptions& options, const std::string& text) {
            options.switches.sysctls = required("--sysctl", text, parse_sysctls(text));
            std::vector<std::string> parts;
            for (const auto& [key, value] : options.switches.sysctls) {
                parts.push_back(key + "=" + value);
            }
            return any_order(std::move(parts));
        });
    add("--sched-feature", "NAME",
        "Scheduler feature switched during the cell (NO_NAME: off), put back after it; several at "
        "once with commas; none: as it is",
        AxisList::repeat, [](CellOptions& options, const std::string& text) {
            options.switches.sched_features =
                required("--sched-feature", text, parse_sched_features(text));
            return any_order(options.switches.sched_features);
        });
    add("--scx", "NAME", "sched_ext scheduler program that runs during the cell; none: without one",
        AxisList::repeat, [](CellOptions& options, const std::string& text) {
            options.switches.scx = required("--scx", text, parse_scx(text));
            return text;
        });
    add("--autogroup", "on|off",
        "Grouping of tasks by session during the cell (kernel.sched_autogroup_enabled), put back "
        "after it",
        AxisList::comma, [](CellOptions& options, const std::string& text) {
            options.switches.autogroup = required("--autogroup", text, parse_autogroup(text));
            return text;
        });
    add("--load", "LOAD",
        "What keeps the machine busy: none, spin[:N], pipe[:GROUPS], compile[:JOBS], video:FILE or "
        "any shell command",
        AxisList::repeat, [](CellOptions& options, const std::string& text) {
            options.load.spec = parse_load_option(text);
            return text;
        });
    add("--cpus", "LIST", "CPUs that clients, parent and load may use, e.g. 0,2-3",
        AxisList::repeat, [](CellOptions& options, const std::string& text) {
            options.cpus = parse_cpus_option(text);
            return options.cpus->to_list();
        });
    add("--pin", "on|off", "One CPU to each worker, round robin over those it may use",
        AxisList::flag, [](CellOptions& options, const std::string& text) {
            if (text != "on" && text != "off") {
                throw CLI::ValidationError("--pin", "'" + text + "' is not one of on, off");
            }
            options.pin = text == "on";
            return text;
        });
    add("--policy", "POLICY",
        "Scheduling policy of the workers: other, batch, idle, fifo:PRIO, rr:PRIO, "
        "deadline:RUNTIME/DEADLINE/PERIOD",
        AxisList::comma, [](CellOptions& options, const std::string& text) {
            options.settings.policy = required("--policy", text, parse_policy(text));
            return options.settings.policy->text();
        });
    add("--nice", "N", "Nice value of the workers, -20..19", AxisList::comma,
        [](CellOptions& options, const std::string& text) {
            options.settings.nice = required("--nice", text, parse_nice(text));
            return std::to_string(*options.settings.nice);
        });
    add("--slice", "DURATION", "Custom slice of the workers, 100us..100ms (EEVDF of Linux 6.12+)",
        AxisList::comma, [](CellOptions& options, const std::string& text) {
            options.settings.slice = required("--slice", text, parse_slice(text));
            return format_duration(*options.settings.slice);
        });
    add("--uclamp", "MIN:MAX", "Utilisation clamps of the workers, 0..1024", AxisList::comma,
        [](CellOptions& options, const std::string& text) {
            options.settings.uclamp = required("--uclamp", text, parse_uclamp(text));
            return text;
        });
    add("--timer-slack", "DURATION", "Timer slack of the workers (default: 1ns)", AxisList::comma,
        [](CellOptions& options, const std::string& text) {
            options.settings.timer_slack = required("--timer-slack", text, parse_timer_slack(text));
            return format_duration(*options.settings.timer_slack);
        });
}

/// "a,b" as two values; an empty part stays, to be refused by its reader.
std::vector<std::string> split_commas(const std::string& text) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (std::size_t comma = text.find(','); comma != std::string::npos;
         comma = text.find(',', begin)) {
        parts.push_back(text.substr(begin, comma - begin));
        begin = comma + 1;
    }
    parts.push_back(text.substr(begin));
    return parts;
}

std::vector<std::string> read_values(const CellAxis& axis, const std::vector<std::string>& given) {
    std::vector<std::string> values;
    std::vector<std::string> plain;
    for (const auto& text : given) {
        const auto parts =
            axis.list == AxisList::repeat ? std::vector<std::string>{text} : split_commas(text);
        for (const auto& part : parts) {
            CellOptions scratch;
            std::string spelling = axis.apply(scratch, part);
            const auto same = std::find(plain.begin(), plain.end(), spelling);
            if (same != plain.end()) {
                const auto& first = values[static_cast<std::size_t>(same - plain.begin())];
                throw CLI::ValidationError(
                    axis.option, first == part
                                     ? fmt::format("'{}' is given twice", part)
                                     : fmt::format("'{}' is the same as '{}'", part, first));
            }
            plain.push_back(std::move(spelling));
            values.push_back(part);
        }
    }
    return values;
}

/// The place of an option in the table, or its end.
std::size_t place(const std::vector<CellAxis>& axes, const std::string& option) {
    const auto found = std::find_if(axes.begin(), axes.end(),
                                    [&](const CellAxis& axis) { return axis.option == option; });
    return static_cast<std::size_t>(found - axes.begin());
}

/// Axes stand in the order of the table, whatever the order on the command line.
void put_axis(const std::vector<CellAxis>& axes, std::vector<Axis>& chosen, Axis axis) {
    const auto before = std::find_if(chosen.begin(), chosen.end(), [&](const Axis& other) {
        return place(axes, other.option) > place(axes, axis.option);
    });
    chosen.insert(before, std::move(axis));
}

}  // namespace

std::vector<CellAxis> cell_axes(Benchmark& benchmark) {
    std::vector<CellAxis> axes;
    for (BenchmarkAxis& own : benchmark.axes()) {
        axes.push_back({own.option, own.type, own.help, own.list,
                        [apply = std::move(own.apply)](CellOptions&, const std::string& text) {
                            return apply(text);
                        }});
    }
    add_common_axes(axes);
    return axes;
}

void add_axis_options(CLI::App& app, const std::vector<CellAxis>& axes, std::vector<Axis>& chosen) {
    for (const CellAxis& axis : axes) {
        const bool flag = axis.list == AxisList::flag;
        const char* several =
            axis.list == AxisList::repeat ? "; repeat it to compare" : "; a comma list compares";
        auto* option = app.add_option_function<std::vector<std::string>>(
            axis.option,
            [&axes, &axis, &chosen, flag](std::vector<std::string> given) {
                if (flag) {
                    std::replace(given.begin(), given.end(), std::string(), std::string("on"));
                }
                put_axis(axes, chosen, {axis.option, read_values(axis, given)});
            },
            axis.help + several);
        option->type_name(axis.type)->allow_extra_args(false)->take_all();
        if (flag) {
            option->expected(0, 1);
        }
    }
}

void add_axis_options(CLI::App& app, const std::vector<CellAxis>& axes, CellOptions& options) {
    for (const CellAxis& axis : axes) {
        const bool flag = axis.list == AxisList::flag;
        auto* option = app.add_option_function<std::string>(
            axis.option,
            [&axis, &options, flag](const std::string& text) {
                (void)axis.apply(options, flag && text.empty() ? "on" : text);
            },
            axis.help);
        option->type_name(axis.type);
        if (flag) {
            option->expected(0, 1);
        }
    }
}

CellOptions with_settings(const std::vector<CellAxis>& axes, CellOptions shared,
                          const std::vector<std::pair<std::string, std::string>>& settings) {
    for (const auto& [option, value] : settings) {
        (void)axes.at(place(axes, option)).apply(shared, value);
    }
    return shared;
}

Status check_cell(const CellOptions& options, const Benchmark& benchmark) {
    if (Status sound = check_switches(options.switches); !sound) {
        return sound;
    }
    if (Status sound = check_settings(options.settings); !sound) {
        return sound;
    }
    if (const Status suit = benchmark.check_settings(options.settings, options.pin); !suit) {
        return suit;
    }
    return benchmark.check_options();
}

Status check_combinations(const std::vector<CellAxis>& axes, const CellOptions& shared,
                          const std::vector<Axis>& chosen, const Benchmark& benchmark) {
    Plan plan;
    plan.axes = chosen;
    plan.order = CellOrder::sequential;
    for (const PlannedCell& cell : order_cells(plan)) {
        const CellOptions options = with_settings(axes, shared, cell.settings);
        if (Status sound = check_cell(options, benchmark); !sound) {
            return sound;
        }
    }
    return {};
}

}  // namespace bench
