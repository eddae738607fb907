#include "fairuser/user_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/units.h"
#include "common/worker_settings.h"

namespace bench::fairuser {
namespace {

Error wrong(std::string_view text, std::string_view why) {
    return plain_error("parse", "--user", fmt::format("'{}': {}", text, why));
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || c == '_';
}

/// What every system takes for an account, and every file system for a folder.
bool is_name(std::string_view name) {
    return !name.empty() && name.size() <= max_name && is_letter(name.front()) &&
           std::all_of(name.begin(), name.end(),
                       [](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; });
}

/// Reads one "key=value" into `user`; the reason when it can't be.
std::optional<std::string> take(UserSpec& user, std::string_view key, std::string_view value) {
    if (key == "nice") {
        const auto nice = parse_nice(value);
        if (!nice) {
            return "nice " + nice.error().detail;
        }
        user.nice = *nice;
        return std::nullopt;
    }
    if (key == "weight") {
        const auto weight = parse_integer(value, 1, max_weight);
        if (!weight) {
            return "weight " + weight.error().detail;
        }
        user.weight = *weight;
        return std::nullopt;
    }
    return fmt::format("'{}' is not one of nice=N, weight=W, cmd=COMMAND", key);
}

/// The parts behind NAME=JOBS.
std::optional<std::string> take_all(UserSpec& user, std::string_view rest) {
    constexpr std::string_view kCommand = "cmd=";
    std::vector<std::string_view> seen;
    while (true) {
        if (rest.starts_with(kCommand)) {
            user.command = rest.substr(kCommand.size());
            return user.command->find_first_not_of(" \t") == std::string::npos
                       ? std::optional<std::string>("cmd is empty")
                       : std::nullopt;
        }
        const std::size_t comma = rest.find(',');
        const std::string_view part = rest.substr(0, comma);
        const std::size_t equals = part.find('=');
        const std::string_view key = part.substr(0, equals);
        if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
            return fmt::format("{} is given twice", key);
        }
        seen.push_back(key);
        const std::string_view value =
            equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1);
        if (auto reason = take(user, key, value)) {
            return reason;
        }
        if (comma == std::string_view::npos) {
            return std::nullopt;
        }
        rest.remove_prefix(comma + 1);
    }
}

}  // namespace

Result<UserSpec> parse_user(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
        return wrong(text, "it is not NAME=JOBS[,nice=N][,weight=W][,cmd=COMMAND]");
    }
    UserSpec user;
    user.name = text.substr(0, equals);
    if (!is_name(user.name)) {
        return wrong(text, fmt::format("a name is a small letter or _, then small letters, digits, "
                                       "_ and -, {} characters at most",
                                       max_name));
    }
    const std::string_view rest = text.substr(equals + 1);
    const std::size_t comma = rest.find(',');
    const auto jobs = parse_integer(rest.substr(0, comma), 1, max_jobs);
    if (!jobs) {
        return wrong(text, "JOBS " + jobs.error().detail);
    }
    user.jobs = *jobs;
    if (comma != std::string_view::npos) {
        if (const auto reason = take_all(user, rest.substr(comma + 1))) {
            return wrong(text, *reason);
        }
    }
    return user;
}

std::string format_user(const UserSpec& user) {
    std::string text = fmt::format("{}={}", user.name, user.jobs);
    if (user.nice) {
        text += fmt::format(",nice={}", *user.nice);
    }
    if (user.weight != usual_weight) {
        text += fmt::format(",weight={}", user.weight);
    }
    if (user.command) {
        text += ",cmd=" + *user.command;
    }
    return text;
}

std::vector<double> expected_shares(const std::vector<UserSpec>& users, std::int64_t cpus) {
    std::vector<double> used(users.size(), 0);
    std::vector<bool> full(users.size(), false);
    double left = static_cast<double>(cpus);
    // Whoever can't use what the weights give keeps its jobs busy and leaves the rest: at each turn
    // one user more at least, or nobody and we are done.
    while (true) {
        double weights = 0;
        for (std::size_t i = 0; i < users.size(); ++i) {
            weights += full[i] ? 0 : static_cast<double>(users[i].weight);
        }
        const double for_open = left;
        bool more = false;
        for (std::size_t i = 0; i < users.size(); ++i) {
            const auto jobs = static_cast<double>(users[i].jobs);
            if (!full[i] && for_open * static_cast<double>(users[i].weight) / weights >= jobs) {
                used[i] = jobs;
                left -= jobs;
                full[i] = more = true;
            }
        }
        if (!more) {
            for (std::size_t i = 0; i < users.size(); ++i) {
                if (!full[i]) {
                    used[i] = left * static_cast<double>(users[i].weight) / weights;
                }
            }
            break;
        }
    }
    const double all = std::accumulate(used.begin(), used.end(), 0.0);
    for (double& share : used) {
        share /= all;
    }
    return used;
}

}  // namespace bench::fairuser
