#include "common/cgroup_location.h"

#include <algorithm>

#include "common/environment_text.h"

namespace bench {

namespace {

using environment::lines;
using environment::words;

struct Mount {
    bool v2 = false;
    std::vector<std::string> options;  ///< of the super block: the controllers of v1
    std::string root;
    std::string point;
};

/// The kernel writes blanks and backslashes in paths as \040.
std::string unescape(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view digits = text.substr(i + 1, 3);
        if (text[i] == '\\' && digits.size() == 3 &&
            digits.find_first_not_of("01234567") == std::string_view::npos) {
            result += static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 +
                                        (digits[2] - '0'));
            i += 3;
        } else {
            result += text[i];
        }
    }
    return result;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        parts.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

std::vector<Mount> cgroup_mounts(const SystemRoot& system) {
    std::vector<Mount> mounts;
    const Result<std::string> text = system.read("/proc/self/mountinfo");
    if (!text) {
        return mounts;
    }
    for (const std::string_view line : lines(*text)) {
        // "31 23 0:28 ROOT POINT OPTIONS [TAGS...] - TYPE SOURCE SUPER_OPTIONS"
        const std::size_t dash = line.find(" - ");
        if (dash == std::string_view::npos) {
            continue;
        }
        const std::vector<std::string_view> left = words(line.substr(0, dash));
        const std::vector<std::string_view> right = words(line.substr(dash + 3));
        if (left.size() < 5 || right.size() < 3 ||
            (right[0] != "cgroup" && right[0] != "cgroup2")) {
            continue;
        }
        mounts.push_back(
            {right[0] == "cgroup2", split(right[2], ','), unescape(left[3]), unescape(left[4])});
    }
    return mounts;
}

bool carries(const Mount& mount, const CgroupHierarchy& hierarchy) {
    if (mount.v2 != hierarchy.v2) {
        return false;
    }
    return std::all_of(hierarchy.controllers.begin(), hierarchy.controllers.end(),
                       [&](const std::string& controller) {
                           return std::find(mount.options.begin(), mount.options.end(),
                                            controller) != mount.options.end();
                       });
}

/// Where `path` lies below a mount that shows the hierarchy from `root` on; nullopt: outside.
std::optional<std::string> folder_below(const Mount& mount, std::string_view path) {
    std::string_view below = path;
    if (mount.root != "/") {
        if (!below.starts_with(mount.root)) {
            return std::nullopt;
        }
        below.remove_prefix(mount.root.size());
        if (!below.empty() && !below.starts_with('/')) {
            return std::nullopt;
        }
    }
    // A group outside our cgroup namespace: "/../other".
    if (below.starts_with("/..") || below.find("/../") != std::string_view::npos) {
        return std::nullopt;
    }
    return below == "/" ? mount.point : mount.point + std::string(below);
}

std::string parent(const std::string& folder) {
    return folder.substr(0, folder.rfind('/'));
}

bool controls(const SystemRoot& system, const std::string& folder, std::string_view controller) {
    const auto enabled = environment::fact(system, folder + "/cgroup.controllers");
    if (!enabled) {
        return false;
    }
    const std::vector<std::string_view> names = words(*enabled);
    return std::find(names.begin(), names.end(), controller) != names.end();
}

}  // namespace

std::vector<CgroupHierarchy> cgroup_hierarchies(const SystemRoot& system) {
    std::vector<CgroupHierarchy> hierarchies;
    const Result<std::string> text = system.read("/proc/self/cgroup");
    if (!text) {
        return hierarchies;
    }
    const std::vector<Mount> mounts = cgroup_mounts(system);
    for (const std::string_view line : lines(*text)) {
        // "5:cpu,cpuacct:/user.slice" or "0::/user.slice"; the path may hold colons.
        const std::size_t first = line.find(':');
        const std::size_t second =
            first == std::string_view::npos ? first : line.find(':', first + 1);
        if (second == std::string_view::npos || !line.substr(second + 1).starts_with('/')) {
            continue;
        }
        CgroupHierarchy hierarchy;
        hierarchy.controllers = split(line.substr(first + 1, second - first - 1), ',');
        hierarchy.v2 = hierarchy.controllers.empty();
        hierarchy.path = line.substr(second + 1);
        for (const Mount& mount : mounts) {
            if (!carries(mount, hierarchy)) {
                continue;
            }
            // A later mount may show our group where an earlier one does not.
            hierarchy.mount = mount.point;
            hierarchy.folder = folder_below(mount, hierarchy.path);
            if (hierarchy.folder) {
                break;
            }
        }
        hierarchies.push_back(std::move(hierarchy));
    }
    return hierarchies;
}

std::optional<CgroupHierarchy> find_cgroup(const SystemRoot& system, std::string_view controller) {
    std::vector<CgroupHierarchy> hierarchies = cgroup_hierarchies(system);
    for (CgroupHierarchy& hierarchy : hierarchies) {
        if (std::find(hierarchy.controllers.begin(), hierarchy.controllers.end(), controller) !=
            hierarchy.controllers.end()) {
            return std::move(hierarchy);
        }
    }
    for (CgroupHierarchy& hierarchy : hierarchies) {
        if (!hierarchy.v2 || !hierarchy.folder) {
            continue;
        }
        for (const std::string& folder : cgroup_ancestry(hierarchy)) {
            if (controls(system, folder, controller)) {
                // As many levels off the path as off the folder.
                std::size_t levels = static_cast<std::size_t>(std::count(
                    hierarchy.folder->begin() + static_cast<std::ptrdiff_t>(folder.size()),
                    hierarchy.folder->end(), '/'));
                for (; levels > 0; --levels) {
                    hierarchy.path = parent(hierarchy.path);
                }
                if (hierarchy.path.empty()) {
                    hierarchy.path = "/";
                }
                hierarchy.folder = folder;
                return std::move(hierarchy);
            }
        }
    }
    return std::nullopt;
}

std::optional<bool> is_root_cgroup(const SystemRoot& system, const CgroupHierarchy& group) {
    if (group.folder && system.exists(*group.folder + "/cgroup.procs")) {
        return group.v2 ? !system.exists(*group.folder + "/cgroup.type")
                        : system.exists(*group.folder + "/release_agent");
    }
    if (group.path != "/") {
        return false;
    }
    return std::nullopt;
}

std::vector<std::string> cgroup_ancestry(const CgroupHierarchy& group) {
    std::vector<std::string> folders;
    if (!group.folder || !group.mount) {
        return folders;
    }
    std::string folder = *group.folder;
    while (folder.size() > group.mount->size()) {
        folders.push_back(folder);
        folder = parent(folder);
    }
    folders.push_back(folder);
    return folders;
}

}  // namespace bench
