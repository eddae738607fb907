#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/environment_text.h"
#include "common/kernel_knob.h"
#include "common/scheduler_switches.h"

namespace bench {
namespace {

constexpr std::string_view kNone = "none";

Error refuse(std::string_view text, std::string why) {
    return plain_error("parse", fmt::format("'{}'", text), std::move(why));
}

std::vector<std::string_view> split_at_commas(std::string_view text) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = std::min(text.find(','), text.size());
        parts.push_back(text.substr(0, end));
        if (end == text.size()) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

/// The first that is there twice.
std::optional<std::string> duplicate(const std::vector<std::string>& names) {
    std::set<std::string_view> seen;
    for (const std::string& name : names) {
        if (!seen.insert(name).second) {
            return name;
        }
    }
    return std::nullopt;
}

std::vector<std::string> keys_of(const std::vector<std::pair<std::string, std::string>>& sysctls) {
    std::vector<std::string> keys;
    keys.reserve(sysctls.size());
    for (const auto& [key, value] : sysctls) {
        keys.push_back(canonical_sysctl(key).optional().value_or(key));
    }
    return keys;
}

/// X and NO_X are the same feature.
std::vector<std::string> names_of(const std::vector<std::string>& features) {
    std::vector<std::string> names;
    names.reserve(features.size());
    for (const std::string& word : features) {
        names.push_back(word.starts_with("NO_") ? word.substr(3) : word);
    }
    return names;
}

bool is_feature(std::string_view word) {
    constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    return !word.empty() && word != "NO_" &&
           word.find_first_not_of(kAllowed) == std::string_view::npos;
}

bool has_blank_or_control(std::string_view text) {
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; });
}

}  // namespace

Status check_switches(const SwitchOptions& options) {
    const std::vector<std::string> keys = keys_of(options.sysctls);
    if (const auto twice = duplicate(keys)) {
        return plain_error("set", "--sysctl", fmt::format("'{}' is given twice", *twice));
    }
    if (const auto twice = duplicate(names_of(options.sched_features))) {
        return plain_error("set", "--sched-feature", fmt::format("'{}' is given twice", *twice));
    }
    constexpr std::string_view kAutogroup = "kernel.sched_autogroup_enabled";
    if (options.autogroup && std::find(keys.begin(), keys.end(), kAutogroup) != keys.end()) {
        return plain_error("set", "--sysctl",
                           fmt::format("'{}' is what --autogroup sets: give one", kAutogroup));
    }
    return {};
}

Result<std::vector<std::pair<std::string, std::string>>> parse_sysctls(std::string_view text) {
    std::vector<std::pair<std::string, std::string>> sysctls;
    if (text == kNone) {
        return sysctls;
    }
    for (const std::string_view part : split_at_commas(text)) {
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos) {
            return refuse(text, fmt::format("'{}' is not KEY=VALUE; allowed: KEY=VALUE, joined by "
                                            "commas to set several at once, or none",
                                            part));
        }
        Result<std::string> key = canonical_sysctl(part.substr(0, equals));
        if (!key) {
            return refuse(text, fmt::format("'{}' is no sysctl key: parts joined by dots or "
                                            "slashes, none of them empty, '.' or '..', such as "
                                            "kernel.sched_rr_timeslice_ms",
                                            part.substr(0, equals)));
        }
        const std::string_view raw = part.substr(equals + 1);
        std::string value = normalise_blanks(raw);
        if (value.empty()) {
            return refuse(text, fmt::format("'{}' has no value", *key));
        }
        if (raw.find_first_of(std::string_view("\n\0", 2)) != std::string_view::npos) {
            return refuse(text, fmt::format("the value of '{}' is more than one line", *key));
        }
        sysctls.emplace_back(std::move(key).value(), std::move(value));
    }
    if (const auto twice = duplicate(keys_of(sysctls))) {
        return refuse(text, fmt::format("'{}' is given twice", *twice));
    }
    return sysctls;
}

Result<std::vector<std::string>> parse_sched_features(std::string_view text) {
    std::vector<std::string> features;
    if (text == kNone) {
        return features;
    }
    for (const std::string_view word : split_at_commas(text)) {
        if (!is_feature(word)) {
            return refuse(text, fmt::format("'{}' is no feature name: capital letters, digits and "
                                            "'_', with NO_ in front to switch it off; joined by "
                                            "commas to set several at once, or none",
                                            word));
        }
        features.emplace_back(word);
    }
    if (const auto twice = duplicate(names_of(features))) {
        return refuse(text, fmt::format("'{}' is given twice", *twice));
    }
    return features;
}

Result<std::string> parse_scx(std::string_view text) {
    if (text == kNone) {
        return std::string();
    }
    if (text.empty() || text.starts_with('-') || text.ends_with('/') ||
        has_blank_or_control(text)) {
        return refuse(text,
                      "allowed: a sched_ext scheduler program in PATH such as scx_simple, its path "
                      "(no blanks), or none");
    }
    return std::string(text);
}

Result<bool> parse_autogroup(std::string_view text) {
    if (text != "on" && text != "off") {
        return refuse(text, "allowed: on, off");
    }
    return text == "on";
}

}  // namespace bench
