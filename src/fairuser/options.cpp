#include "fairuser/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "common/bundle.h"
#include "common/cpu_set.h"
#include "common/options.h"

namespace bench::fairuser {
namespace {

constexpr std::array<std::pair<std::string_view, WorkloadKind>, 5> kWorkloads = {
    {{"make", WorkloadKind::make},
     {"volano", WorkloadKind::volano},
     {"pipe", WorkloadKind::pipe},
     {"spin", WorkloadKind::spin},
     {"cmd", WorkloadKind::command}}};
constexpr std::array<std::pair<std::string_view, GroupMode>, 3> kGroups = {
    {{"none", GroupMode::none},
     {"autogroup", GroupMode::autogroup},
     {"cgroup", GroupMode::cgroup}}};
constexpr std::array<std::pair<std::string_view, Ending>, 2> kEndings = {
    {{"time", Ending::time}, {"work", Ending::work}}};

/// Of the variant: "user_vatsa" is "4,nice=10".
constexpr const char* kUserKey = "user_";

template <class Table, class Value>
std::string_view word_of(const Table& table, Value value) {
    return std::find_if(table.begin(), table.end(),
                        [&](const auto& entry) { return entry.second == value; })
        ->first;
}

template <class Table, class Value>
std::string take_word(const char* option, const Table& table, Value& value,
                      const std::string& text) {
    std::string allowed;
    for (const auto& [name, meaning] : table) {
        if (name == text) {
            value = meaning;
            return text;
        }
        allowed += (allowed.empty() ? "" : ", ") + std::string(name);
    }
    throw CLI::ValidationError(option, "'" + text + "' is not one of " + allowed);
}

void add_make_options(CLI::App& app, Options& options) {
    add_integer_option(app, "--units", options.units,
                       "make: C files of the tree that is generated for each user (60)", 1,
                       100'000);
    app.add_option("--source", options.source,
                   "make: build this Linux source tree instead, out of tree; it is only read")
        ->type_name("DIR");
    app.add_option("--target", options.target, "make: what of it to build (bzImage)")
        ->type_name("NAME");
    app.add_option("--config", options.config, "make: how it is configured before (tinyconfig)")
        ->type_name("NAME");
}

void add_chat_options(CLI::App& app, Options& options) {
    add_integer_option(app, "--rooms", options.rooms, "volano: chat rooms a user (10)", 1, 10'000);
    add_integer_option(app, "--users", options.chatters, "volano: chatters a room (20)", 2, 10'000);
    add_integer_option(app, "--messages", options.messages,
                       "volano: messages each chatter sends (100)", 1, 10'000'000);
    add_integer_option(app, "--port", options.port,
                       "volano: first user's port, the next ones follow (the kernel's choice)",
                       1024, 65'535);
}

Status refuse(const char* option, std::string why) {
    return plain_error("", option, std::move(why));
}

/// Options that mean something to one workload alone.
Status check_belongings(const Options& options) {
    struct Belonging {
        const char* option;
        bool given;
        WorkloadKind workload;
    };
    const Belonging all[] = {{"--units", options.units.has_value(), WorkloadKind::make},
                             {"--source", !options.source.empty(), WorkloadKind::make},
                             {"--target", !options.target.empty(), WorkloadKind::make},
                             {"--config", !options.config.empty(), WorkloadKind::make},
                             {"--rooms", options.rooms.has_value(), WorkloadKind::volano},
                             {"--users", options.chatters.has_value(), WorkloadKind::volano},
                             {"--messages", options.messages.has_value(), WorkloadKind::volano},
                             {"--port", options.port.has_value(), WorkloadKind::volano}};
    for (const Belonging& one : all) {
        if (one.given && one.workload != options.workload) {
            return refuse(one.option, fmt::format("it means nothing to --workload {}, only to {}",
                                                  word(options.workload), word(one.workload)));
        }
    }
    if (!options.source.empty() && options.units) {
        return refuse("--units", "it sizes the generated tree: --source has its own size");
    }
    if (options.source.empty() && !(options.target.empty() && options.config.empty())) {
        return refuse(options.target.empty() ? "--config" : "--target",
                      "it belongs to a Linux tree: give --source DIR");
    }
    return {};
}

Status check_users(const Options& options) {
    if (options.users.size() < 2) {
        return refuse("--user", fmt::format("{} given: two or more users compete, as in --user "
                                            "vatsa=4 --user guest=20",
                                            options.users.size()));
    }
    std::set<std::string> names;
    for (const UserSpec& user : options.users) {
        if (!names.insert(user.name).second) {
            return refuse("--user", fmt::format("'{}' is given twice", user.name));
        }
        const bool needs_command = options.workload == WorkloadKind::command;
        if (needs_command != user.command.has_value()) {
            return refuse(
                "--user",
                needs_command
                    ? fmt::format("'{}': --workload cmd needs its cmd=COMMAND", format_user(user))
                    : fmt::format("'{}': cmd= belongs to --workload cmd, not to {}",
                                  format_user(user), word(options.workload)));
        }
    }
    return {};
}

bool has_end(WorkloadKind kind) {
    return kind != WorkloadKind::spin && kind != WorkloadKind::pipe;
}

}  // namespace

Ending Options::end() const {
    return ending.value_or(has_end(workload) ? Ending::work : Ending::time);
}

ChatSize chat_size(const Options& options) {
    const ChatSize usual;
    return {.rooms = options.rooms.value_or(usual.rooms),
            .users = options.chatters.value_or(usual.users),
            .messages = options.messages.value_or(usual.messages)};
}

std::string_view word(WorkloadKind kind) {
    return word_of(kWorkloads, kind);
}
std::string_view word(GroupMode mode) {
    return word_of(kGroups, mode);
}
std::string_view word(Ending ending) {
    return word_of(kEndings, ending);
}

void add_options(CLI::App& app, Options& options) {
    app.add_option_function<std::vector<std::string>>(
           "--user",
           [&options](const std::vector<std::string>& given) {
               options.users.clear();
               for (const std::string& text : given) {
                   auto user = parse_user(text);
                   if (!user) {
                       throw CLI::ValidationError("--user", user.error().detail);
                   }
                   options.users.push_back(std::move(*user));
               }
           },
           "A user and how many jobs run at once: NAME=JOBS[,nice=N][,weight=W][,cmd=COMMAND]; "
           "repeat it, two at least")
        ->type_name("SPEC")
        ->allow_extra_args(false)
        ->take_all();
    app.add_option_function<std::string>(
           "--fixed",
           [&options](const std::string& text) {
               Ending ending{};
               take_word("--fixed", kEndings, ending, text);
               options.ending = ending;
           },
           "What is the same for all: the time, or the work (work for make, volano and cmd, time "
           "for spin and pipe)")
        ->type_name("time|work");
    app.add_flag("--solo", options.solo,
                 "Run each user alone before, as the reference of efficiency and fairness");
    app.add_option_function<std::string>(
           "--exclusive-cpus",
           [&options](const std::string& text) {
               const auto cpus = CpuSet::parse(text);
               if (!cpus || cpus->empty()) {
                   throw CLI::ValidationError(
                       "--exclusive-cpus", "'" + text + "' is not a list of CPUs, like 0 or 0,2-3");
               }
               options.exclusive_cpus = text;
           },
           "Run on these CPUs and keep everybody else from them")
        ->type_name("LIST");
    add_make_options(app, options);
    add_chat_options(app, options);
}

std::vector<BenchmarkAxis> axes(Options& options) {
    return {{.option = "--workload",
             .type = "NAME",
             .help = "What each user runs: make, volano, pipe, spin, cmd (make)",
             .list = AxisList::comma,
             .apply =
                 [&options](const std::string& text) {
                     return take_word("--workload", kWorkloads, options.workload, text);
                 }},
            {.option = "--group",
             .type = "NAME",
             .help = "How users are told apart: none, autogroup, cgroup (none)",
             .list = AxisList::comma,
             .apply = [&options](const std::string& text) {
                 return take_word("--group", kGroups, options.group, text);
             }}};
}

Status check_options(const Options& options) {
    if (Status users = check_users(options); !users) {
        return users;
    }
    if (Status belongings = check_belongings(options); !belongings) {
        return belongings;
    }
    if (options.ending == Ending::work && !has_end(options.workload)) {
        return refuse("--fixed", fmt::format("--workload {} has no end: use --fixed time, or make, "
                                             "volano or cmd",
                                             word(options.workload)));
    }
    constexpr std::int64_t kLastPort = 65'535;
    const auto users = static_cast<std::int64_t>(options.users.size());
    if (options.port && *options.port + users - 1 > kLastPort) {
        return refuse("--port", fmt::format("{} users from port {} on go beyond {}", users,
                                            *options.port, kLastPort));
    }
    return {};
}

Status check_settings(const Options& options, const WorkerSettings& settings, bool pin) {
    if (pin) {
        return refuse("--pin", "users are not pinned to one CPU each: give them fewer with --cpus");
    }
    for (const UserSpec& user : options.users) {
        if (settings.nice && user.nice) {
            return refuse("--nice", fmt::format("--user '{}' has a nice of its own: give one of "
                                                "them",
                                                format_user(user)));
        }
    }
    return {};
}

std::vector<std::pair<std::string, std::string>> variant(const Options& options) {
    std::vector<std::pair<std::string, std::string>> pairs;
    const auto add = [&](const std::string& key, const std::string& value) {
        if (!value.empty()) {
            pairs.emplace_back(key, value);
        }
    };
    const auto add_number = [&](const char* key, const std::optional<std::int64_t>& value) {
        if (value) {
            pairs.emplace_back(key, std::to_string(*value));
        }
    };
    for (const UserSpec& user : options.users) {
        const std::string text = format_user(user);
        add(kUserKey + user.name, text.substr(text.find('=') + 1));
    }
    add("config", options.config);
    add("exclusive_cpus", options.exclusive_cpus);
    if (options.ending) {
        add("fixed", std::string(word(*options.ending)));
    }
    add("group", std::string(word(options.group)));
    add_number("messages", options.messages);
    add_number("rooms", options.rooms);
    add("source", options.source);
    add("target", options.target);
    add_number("units", options.units);
    add_number("chatters", options.chatters);
    add("workload", std::string(word(options.workload)));
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

std::string command_in_variant(const std::string& variant, const std::string& user) {
    Options options;
    std::string own;
    for (const auto& [key, value] : parse_variant(variant)) {
        const auto number = parse_integer(value, 1, std::numeric_limits<std::int64_t>::max());
        if (key == "workload") {
            for (const auto& [name, kind] : kWorkloads) {
                options.workload = name == value ? kind : options.workload;
            }
        } else if (key == kUserKey + user) {
            own = value;
        } else if (key == "rooms" && number) {
            options.rooms = *number;
        } else if (key == "chatters" && number) {
            options.chatters = *number;
        } else if (key == "messages" && number) {
            options.messages = *number;
        }
    }
    const auto spec = parse_user(user + "=" + own);
    return spec ? command_text(options, *spec) : own;
}

std::string command_text(const Options& options, const UserSpec& user) {
    std::string text;
    switch (options.workload) {
        case WorkloadKind::make:
            text = fmt::format("make -j{}", user.jobs);
            break;
        case WorkloadKind::volano: {
            const ChatSize size = chat_size(options);
            text = fmt::format("chat {}x{}x{}", size.rooms, size.users, size.messages);
            break;
        }
        case WorkloadKind::pipe:
            text = fmt::format("{} pipes", user.jobs);
            break;
        case WorkloadKind::spin:
            text = fmt::format("{} loops", user.jobs);
            break;
        case WorkloadKind::command:
            text = user.command.value_or("");
            break;
    }
    return user.nice ? fmt::format("nice {}: {}", *user.nice, text) : text;
}

}  // namespace bench::fairuser
