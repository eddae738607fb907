#include "common/cgroup_leftovers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "common/cgroup_location.h"
#include "common/cgroup_removal.h"
#include "common/process_stat.h"

namespace bench {
namespace {

constexpr std::string_view kPrefix = "bench-fairuser-";

template <class Number>
bool take(std::string_view& text, Number& number) {
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return failure == std::errc();
}

bool take_dash(std::string_view& text) {
    const bool there = text.starts_with('-');
    text.remove_prefix(there ? 1 : 0);
    return there;
}

bool is_alive(const SystemRoot& system, const CgroupOwner& owner) {
    const auto text = system.read_trimmed(fmt::format("/proc/{}/stat", owner.pid));
    const auto process = text ? parse_process_stat(*text) : std::nullopt;
    return process && process->start_ticks == owner.start_ticks && !process->ended();
}

std::uint64_t own_pid_namespace(const SystemRoot& system) {
    // "pid:[4026531836]"; a kernel without namespaces has one.
    const std::string link = system.read_link("/proc/self/ns/pid").value_or("");
    std::string_view digits = link;
    digits.remove_prefix(std::min(digits.find_first_of("0123456789"), digits.size()));
    std::uint64_t number = 0;
    return take(digits, number) ? number : 0;
}

}  // namespace

std::string CgroupOwner::folder_name() const {
    return fmt::format("{}{}-{}-{}", kPrefix, pid, start_ticks, pid_namespace);
}

std::optional<CgroupOwner> CgroupOwner::parse(std::string_view folder_name) {
    if (!folder_name.starts_with(kPrefix)) {
        return std::nullopt;
    }
    folder_name.remove_prefix(kPrefix.size());
    CgroupOwner owner;
    const bool whole = take(folder_name, owner.pid) && owner.pid > 0 && take_dash(folder_name) &&
                       take(folder_name, owner.start_ticks) && take_dash(folder_name) &&
                       take(folder_name, owner.pid_namespace) && folder_name.empty();
    return whole ? std::optional(owner) : std::nullopt;
}

Result<CgroupOwner> own_cgroup_owner(const SystemRoot& system) {
    const Result<std::string> text = system.read("/proc/self/stat");
    if (!text) {
        return text.error();
    }
    const auto process = parse_process_stat(*text);
    if (!process) {
        return plain_error("read", "/proc/self/stat", "it is not as proc(5) says");
    }
    return CgroupOwner{process->pid, process->start_ticks, own_pid_namespace(system)};
}

std::vector<std::string> remove_leftover_cgroups(const SystemRoot& system) {
    std::vector<std::string> notes;
    const std::uint64_t pid_namespace = own_pid_namespace(system);
    std::set<std::string> seen;
    for (const CgroupHierarchy& hierarchy : cgroup_hierarchies(system)) {
        for (const std::string& folder : cgroup_ancestry(hierarchy)) {
            if (!seen.insert(folder).second) {
                continue;
            }
            for (const std::string& name : system.list(folder)) {
                const auto owner = CgroupOwner::parse(name);
                if (!owner) {
                    continue;
                }
                const std::string left = fmt::format("{}/{}", folder, name);
                if (owner->pid_namespace != pid_namespace) {
                    notes.push_back(left +
                                    " belongs to a run that can't be seen from here (another "
                                    "pid namespace): left alone");
                    continue;
                }
                if (is_alive(system, *owner)) {
                    continue;
                }
                const Status removed = remove_cgroup_tree(system.resolve(left).string());
                notes.push_back(removed ? left + " was left by a run that is gone: removed"
                                        : left +
                                              " was left by a run that is gone, and can't be "
                                              "removed: " +
                                              removed.error().message());
            }
        }
    }
    return notes;
}

}  // namespace bench
