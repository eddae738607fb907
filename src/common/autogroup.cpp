#include "common/autogroup.h"

#include <cerrno>

#include "common/cgroup_location.h"
#include "common/environment_text.h"

namespace bench {
namespace {

Error not_usable(std::string why) {
    Error error = plain_error("use", "autogroup", std::move(why));
    error.not_started = true;
    return error;
}

}  // namespace

Status check_autogroup_usable(const SystemRoot& system) {
    const Result<std::string> on = system.read("/proc/sys/kernel/sched_autogroup_enabled");
    if (!on) {
        return not_usable(on.error().code == ENOENT
                              ? "this kernel has no autogroups (CONFIG_SCHED_AUTOGROUP)"
                              : on.error().message());
    }
    if (environment::trim(*on) != "1") {
        return not_usable(
            "autogroups are off (kernel.sched_autogroup_enabled is 0): switch them on with "
            "--autogroup on");
    }
    const auto group = find_cgroup(system, "cpu");
    if (!group) {
        return {};  // without a cpu controller all are in the root group
    }
    const auto is_root = is_root_cgroup(system, *group);
    if (!is_root) {
        return not_usable(
            "autogroups act in the root cpu cgroup alone, and whether this process is in it can't "
            "be seen from here");
    }
    if (!*is_root) {
        return not_usable("autogroups act in the root cpu cgroup alone, and this process is in " +
                          group->path);
    }
    return {};
}

std::optional<std::uint64_t> autogroup_id(const SystemRoot& system, pid_t pid) {
    constexpr std::string_view kStart = "/autogroup-";
    const auto text = system.read_trimmed("/proc/" + std::to_string(pid) + "/autogroup");
    if (!text || !text->starts_with(kStart)) {
        return std::nullopt;
    }
    const auto words = environment::words(std::string_view(*text).substr(kStart.size()));
    const auto number = words.empty() ? std::nullopt : environment::whole_number(words[0]);
    return number && *number >= 0 ? std::optional(static_cast<std::uint64_t>(*number))
                                  : std::nullopt;
}

}  // namespace bench
