#include "common/kernel_knob.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "common/environment_text.h"

namespace bench {
namespace {

using environment::words;

constexpr std::string_view kDebugFolder = "/sys/kernel/debug";
constexpr std::string_view kNo = "NO_";

/// "sysctl kernel.sched_x", "scheduler feature X".
std::string title(const KernelKnob& knob) {
    return (knob.kind == KernelKnob::Kind::sysctl ? "sysctl " : "scheduler feature ") + knob.name;
}

std::string who_may(int code) {
    if (::geteuid() != 0) {
        return "root is needed";
    }
    return code == EPERM ? "root is not allowed to: a locked down kernel, or a container"
                         : "not even root may, here";
}

Error sysctl_error(const Error& error, std::string_view operation, const KernelKnob& knob) {
    std::string why;
    switch (error.code) {
        case ENOENT:
            why = "this kernel has no such key, or it is not visible here";
            break;
        case EISDIR:
            why = "it is a folder of keys";
            break;
        case EPERM:
        case EACCES:
            why = who_may(error.code);
            break;
        case EROFS:
            why =
                "/proc/sys is read-only here, as in containers: run outside, or with --privileged";
            break;
        case EINVAL:
        case ERANGE:
            why = "the kernel does not take this value";
            break;
        default:
            break;
    }
    const std::string object =
        operation == "set" ? fmt::format("{} to '{}'", title(knob), knob.asked) : title(knob);
    return Error{error.code, std::string(operation), object, why};
}

Error feature_error(const Error& error, std::string_view operation, const SystemRoot& system,
                    const KernelKnob& knob) {
    std::string why;
    switch (error.code) {
        case ENOENT:
            // An unmounted debugfs is an empty folder.
            why =
                system.list(kDebugFolder).empty()
                    ? fmt::format("debugfs is not mounted: mount -t debugfs none {}", kDebugFolder)
                    : "this kernel shows no scheduler features (CONFIG_SCHED_DEBUG)";
            break;
        case EPERM:
        case EACCES:
            why = who_may(error.code);
            break;
        case EROFS:
            why = "debugfs is read-only here";
            break;
        default:
            break;
    }
    return Error{error.code, std::string(operation), title(knob), why};
}

std::string without_no(std::string_view word) {
    return std::string(word.starts_with(kNo) ? word.substr(kNo.size()) : word);
}

Error unknown_feature(const KernelKnob& knob, std::string_view list) {
    std::vector<std::string> names;
    for (const std::string_view word : words(list)) {
        names.push_back(without_no(word));
    }
    return plain_error("set", title(knob),
                       names.empty() ? "this kernel lists no features at all"
                                     : fmt::format("this kernel has none of that name; it has {}",
                                                   fmt::join(names, ", ")));
}

/// The word that `list` has for the feature.
Result<std::string> feature_in(std::string_view list, const KernelKnob& knob) {
    for (const std::string_view word : words(list)) {
        if (without_no(word) == knob.name) {
            return std::string(word);
        }
    }
    return unknown_feature(knob, list);
}

bool is_plain(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

}  // namespace

std::string normalise_blanks(std::string_view text) {
    return fmt::format("{}", fmt::join(words(text), " "));
}

Result<std::string> sysctl_path(std::string_view key) {
    const auto refuse = [&](std::string_view why) {
        return plain_error("read", fmt::format("sysctl key '{}'", key), std::string(why));
    };
    if (key.empty() || !is_plain(key)) {
        return refuse("a name like kernel.sched_rr_timeslice_ms is wanted");
    }
    std::string below(key);
    const std::size_t first = key.find_first_of("./");
    if (first != std::string_view::npos && key[first] == '.') {
        for (char& c : below) {
            c = c == '.' ? '/' : c == '/' ? '.' : c;
        }
    }
    std::string_view rest = below;
    while (true) {
        const std::size_t end = std::min(rest.find('/'), rest.size());
        const std::string_view part = rest.substr(0, end);
        if (part.empty() || part == "." || part == "..") {
            return refuse("it has an empty part, or one that is '.' or '..'");
        }
        if (end == rest.size()) {
            return "/proc/sys/" + below;
        }
        rest.remove_prefix(end + 1);
    }
}

Result<std::string> canonical_sysctl(std::string_view key) {
    const Result<std::string> path = sysctl_path(key);
    if (!path) {
        return path.error();
    }
    std::string name = path->substr(std::string_view("/proc/sys/").size());
    if (name.find('.') == std::string::npos) {
        std::replace(name.begin(), name.end(), '/', '.');
    }
    return name;
}

Result<KernelKnob> read_sysctl_knob(const SystemRoot& system, std::string_view key,
                                    std::string_view value) {
    Result<std::string> name = canonical_sysctl(key);
    if (!name) {
        return name.error();
    }
    KernelKnob knob{.kind = KernelKnob::Kind::sysctl,
                    .name = std::move(name).value(),
                    .path = sysctl_path(key).value(),
                    .asked = normalise_blanks(value),
                    .before = {},
                    .old_text = {}};
    const Result<std::string> text = system.read(knob.path);
    if (!text) {
        Error error = sysctl_error(text.error(), "read", knob);
        if (error.code == EACCES || error.code == EPERM) {
            error.detail += "; what can't be read can't be put back";
        }
        return error;
    }
    knob.before = normalise_blanks(*text);
    // Nothing at all would be no write: a line feed sets an empty text.
    knob.old_text = text->empty() ? "\n" : *text;
    return knob;
}

Result<KernelKnob> read_feature_knob(const SystemRoot& system, std::string_view word) {
    KernelKnob knob{.kind = KernelKnob::Kind::feature,
                    .name = without_no(word),
                    .path = "/sys/kernel/debug/sched/features",
                    .asked = std::string(word),
                    .before = {},
                    .old_text = {}};
    Result<std::string> list = system.read(knob.path);
    if (!list && list.error().code == ENOENT) {
        const std::string old_path = "/sys/kernel/debug/sched_features";  // before 5.13
        if (Result<std::string> old_list = system.read(old_path)) {
            knob.path = old_path;
            list = std::move(old_list);
        }
    }
    if (!list) {
        return feature_error(list.error(), "read", system, knob);
    }
    Result<std::string> before = feature_in(*list, knob);
    if (!before) {
        return before.error();
    }
    knob.before = std::move(before).value();
    knob.old_text = knob.before;
    return knob;
}

Result<std::string> current_value(const SystemRoot& system, const KernelKnob& knob) {
    const Result<std::string> text = system.read(knob.path);
    if (knob.kind == KernelKnob::Kind::sysctl) {
        return text ? Result<std::string>(normalise_blanks(*text))
                    : sysctl_error(text.error(), "read", knob);
    }
    return text ? feature_in(*text, knob) : feature_error(text.error(), "read", system, knob);
}

Status set_knob(const SystemRoot& system, const KernelKnob& knob) {
    const bool is_sysctl = knob.kind == KernelKnob::Kind::sysctl;
    if (const Status written = system.write(knob.path, is_sysctl ? knob.asked + "\n" : knob.asked);
        !written) {
        return is_sysctl ? sysctl_error(written.error(), "set", knob)
                         : feature_error(written.error(), "set", system, knob);
    }
    const Result<std::string> now = current_value(system, knob);
    if (!now) {
        return now.error();
    }
    if (*now != knob.asked) {
        return plain_error("set", fmt::format("{} to '{}'", title(knob), knob.asked),
                           fmt::format("the kernel took it, but reads back '{}'", *now));
    }
    return {};
}

FileContent old_content(const SystemRoot& system, const KernelKnob& knob) {
    return {system.resolve(knob.path), knob.old_text};
}

}  // namespace bench
