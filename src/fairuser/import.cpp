#include "fairuser/import.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "fairuser/figures.h"

namespace bench::fairuser {
namespace {

/// What a line says at its end.
struct Figure {
    double value = 0;  ///< seconds, or a rate
    bool is_rate = false;
};

struct UserLine {
    std::string name, command;
    Figure figure;
};

Error line_error(std::size_t number, std::string what) {
    return plain_error("import", fmt::format("line {}", number), std::move(what));
}

/// Fields by tabs or two blanks and more: a command has single ones.
std::vector<std::string> split(std::string_view line) {
    std::vector<std::string> fields(1);
    for (std::size_t i = 0; i < line.size(); ++i) {
        const bool gap = line[i] == '\t' || (line[i] == ' ' && i + 1 < line.size() &&
                                             (line[i + 1] == ' ' || line[i + 1] == '\t'));
        if (!gap) {
            fields.back() += line[i];
            continue;
        }
        while (i + 1 < line.size() && (line[i + 1] == ' ' || line[i + 1] == '\t')) {
            ++i;
        }
        if (!fields.back().empty()) {
            fields.emplace_back();
        }
    }
    while (!fields.empty() && fields.back().empty()) {
        fields.pop_back();
    }
    return fields;
}

std::optional<Figure> parse_figure(std::string_view text) {
    constexpr std::string_view kSeconds = " s";
    constexpr std::string_view kRate = " msg/s";
    const bool rate = text.ends_with(kRate);
    if (!rate && !text.ends_with(kSeconds)) {
        return std::nullopt;
    }
    text.remove_suffix(rate ? kRate.size() : kSeconds.size());
    double value = 0;
    const auto [end, failure] =
        std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(value) ||
        !(value > 0)) {
        return std::nullopt;
    }
    return Figure{value, rate};
}

struct Parsed {
    std::vector<UserLine> users;
    std::optional<Figure> reference;
};

Status take_line(Parsed& parsed, std::string_view line, std::size_t number) {
    const std::vector<std::string> fields = split(line);
    const auto figure = parse_figure(fields.back());
    if (!figure) {
        return line_error(number, fmt::format("it does not end with a time like '472.07 s' or a "
                                              "rate like '10128 msg/s'"));
    }
    if (fields.size() == 2 && fields[0] == "reference") {
        if (parsed.reference) {
            return line_error(number, "there is a reference already");
        }
        parsed.reference = *figure;
        return {};
    }
    if (fields.size() != 3) {
        return line_error(number, "it is not a name, a command and a figure, two blanks apart");
    }
    parsed.users.push_back({fields[0], fields[1], *figure});
    return {};
}

Result<Parsed> parse(std::string_view text) {
    Parsed parsed;
    std::size_t number = 0;
    while (!text.empty()) {
        ++number;
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) {
            line.remove_suffix(1);
        }
        if (const std::size_t begin = line.find_first_not_of(" \t");
            begin == std::string_view::npos || line[begin] == '#') {
            continue;
        } else {
            line.remove_prefix(begin);
        }
        if (Status taken = take_line(parsed, line, number); !taken) {
            return taken.error();
        }
    }
    return parsed;
}

Status check(const Parsed& parsed) {
    if (parsed.users.size() != 2) {
        return plain_error("import", "fairuser",
                           fmt::format("{} users: shares can be derived for two alone, one run a "
                                       "file",
                                       parsed.users.size()));
    }
    if (parsed.users[0].name == parsed.users[1].name) {
        return plain_error("import", "fairuser", "both users are called " + parsed.users[0].name);
    }
    const bool rates = parsed.users[0].figure.is_rate;
    if (parsed.users[1].figure.is_rate != rates ||
        (parsed.reference && parsed.reference->is_rate != rates)) {
        return plain_error("import", "fairuser", "times and rates can't be mixed");
    }
    return {};
}

struct Derived {
    std::array<double, 2> shares{};
    Fairness fairness;
};

Result<Derived> derive(const Parsed& parsed) {
    const double first = parsed.users[0].figure.value;
    const double second = parsed.users[1].figure.value;
    if (!parsed.users[0].figure.is_rate) {
        std::optional<double> reference;
        if (parsed.reference) {
            reference = parsed.reference->value;
        }
        const auto users = two_users_by_finish(first, second, reference);
        if (!users) {
            return users.error();
        }
        return Derived{{users->share_1, users->share_2}, users->fairness};
    }
    std::optional<double> efficiency;
    if (parsed.reference) {
        efficiency = (first + second) / parsed.reference->value;
    }
    const double share = first / (first + second);
    const FairGroup groups[] = {{.share = share, .entitlement = 0.5},
                                {.share = 1 - share, .entitlement = 0.5}};
    const auto fair = fairness(groups, efficiency);
    if (!fair) {
        return fair.error();
    }
    return Derived{{share, 1 - share}, *fair};
}

}  // namespace

Result<ImportedCell> import_classic(std::string_view text) {
    const auto parsed = parse(text);
    if (!parsed) {
        return parsed.error();
    }
    if (Status sound = check(*parsed); !sound) {
        return sound.error();
    }
    const auto derived = derive(*parsed);
    if (!derived) {
        return derived.error();
    }
    constexpr double kNanoseconds = 1e9;
    ImportedCell cell;
    CellOutcome& outcome = cell.outcome;
    for (std::size_t i = 0; i < parsed->users.size(); ++i) {
        const UserLine& user = parsed->users[i];
        outcome.series.push_back(
            user.figure.is_rate
                ? single("work_rate", user.name, user.figure.value)
                : single("finish_time", user.name, std::round(user.figure.value * kNanoseconds)));
        outcome.series.push_back(single("cpu_share", user.name, derived->shares[i]));
        outcome.series.push_back(single("expected_share", user.name, 0.5));
        cell.variant.emplace_back("user_" + user.name, user.command);
    }
    const Fairness& fair = derived->fairness;
    outcome.series.push_back(single("misallocated", {}, fair.misallocated));
    outcome.series.push_back(single("jain", {}, fair.jain_between));
    outcome.series.push_back(single("efficiency", {}, fair.efficiency));
    outcome.series.push_back(single("fairness", {}, fair.number));
    if (!fair.number) {
        outcome.notes.emplace_back(
            "no reference line: efficiency and fairness number can't be "
            "derived");
    }
    outcome.notes.emplace_back(
        parsed->users[0].figure.is_rate
            ? "shares are those of the work done, not of CPU time"
            : "shares follow from the finish times, for equal work on a machine busy to the end");
    outcome.notes.emplace_back(
        "how equal a user's own jobs were is not known: the fairness number is at most this");
    return cell;
}

}  // namespace bench::fairuser
