#include "common/cgroup_branch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/environment_text.h"

namespace bench {
namespace {

bool holds(const std::vector<std::string>& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

/// Those of `wanted` that the file of names lacks.
std::vector<std::string> lacking(const SystemRoot& system, const std::string& file,
                                 const std::vector<std::string>& wanted) {
    const auto text = system.read_trimmed(file).value_or("");
    const auto names = environment::words(text);
    std::vector<std::string> lacking;
    for (const std::string& controller : wanted) {
        if (std::find(names.begin(), names.end(), controller) == names.end()) {
            lacking.push_back(controller);
        }
    }
    return lacking;
}

std::optional<std::string> not_writable(const SystemRoot& system, const std::string& folder) {
    if (::access(system.resolve(folder).c_str(), W_OK | X_OK) == 0) {
        return std::nullopt;
    }
    return fmt::format("{}: {}", folder,
                       errno == EROFS ? "mounted read-only" : std::strerror(errno));
}

/// Why groups with these controllers can't be made below `folder`; otherwise the branch.
Result<CgroupBranch> branch_below(const SystemRoot& system, const CgroupHierarchy& hierarchy,
                                  const std::string& folder,
                                  const std::vector<std::string>& controllers) {
    const auto no = [&](std::string why) { return plain_error("use", folder, std::move(why)); };
    if (const auto absent = lacking(system, folder + "/cgroup.controllers", controllers);
        !absent.empty()) {
        return no(fmt::format("{}/cgroup.controllers lacks {}", folder, fmt::join(absent, " ")));
    }
    const auto type = system.read_trimmed(folder + "/cgroup.type");
    if (type && type != "domain") {
        return no(fmt::format("{} is of type '{}'", folder, *type));
    }
    // Exclusive CPUs are handed on from partition root to partition root.
    if (holds(controllers, "cpuset") && type) {
        const auto partition = system.read_trimmed(folder + "/cpuset.cpus.partition");
        if (partition != "root" && partition != "isolated") {
            return no(fmt::format("{} is no cpuset partition root itself ('{}')", folder,
                                  partition.value_or("no cpuset.cpus.partition")));
        }
    }
    CgroupBranch branch{true, *hierarchy.mount, folder, controllers};
    branch.to_enable = lacking(system, folder + "/cgroup.subtree_control", controllers);
    // The true root alone has no cgroup.type; it may hold processes and hand controllers down.
    const bool has_processes = !system.read_trimmed(folder + "/cgroup.procs").value_or("").empty();
    if (!branch.to_enable.empty() && type && has_processes) {
        return no(fmt::format(
            "{}/cgroup.subtree_control lacks {}, and can't get it while the group holds processes",
            folder, fmt::join(branch.to_enable, " ")));
    }
    if (const auto reason = not_writable(system, folder)) {
        return no(*reason);
    }
    return branch;
}

Result<CgroupBranch> find_v2_branch(const SystemRoot& system, const CgroupHierarchy& hierarchy,
                                    const std::vector<std::string>& controllers) {
    std::string reasons;
    for (const std::string& folder : cgroup_ancestry(hierarchy)) {
        Result<CgroupBranch> branch = branch_below(system, hierarchy, folder, controllers);
        if (branch) {
            return branch;
        }
        reasons += (reasons.empty() ? "" : "; ") + branch.error().detail;
    }
    return plain_error(
        "find", fmt::format("a place for {} cgroups", fmt::join(controllers, " and ")), reasons);
}

Result<CgroupBranch> find_v1_branch(const SystemRoot& system, const CgroupHierarchy& hierarchy,
                                    const std::string& controller) {
    const auto no = [&](std::string why) {
        return plain_error("find", fmt::format("a place for {} cgroups", controller),
                           std::move(why));
    };
    if (!hierarchy.folder) {
        return no(fmt::format("the v1 hierarchy with {} is not mounted where it can be seen",
                              controller));
    }
    if (const auto reason = not_writable(system, *hierarchy.folder)) {
        return no(*reason);
    }
    return CgroupBranch{false, *hierarchy.mount, *hierarchy.folder, {controller}};
}

}  // namespace

Result<std::vector<CgroupBranch>> find_branches(const std::vector<std::string>& controllers,
                                                const SystemRoot& system) {
    const std::vector<CgroupHierarchy> hierarchies = cgroup_hierarchies(system);
    std::vector<CgroupBranch> branches;
    std::vector<std::string> of_v2;
    for (const std::string& controller : controllers) {
        const auto v1 = std::find_if(
            hierarchies.begin(), hierarchies.end(),
            [&](const CgroupHierarchy& one) { return holds(one.controllers, controller); });
        if (v1 == hierarchies.end()) {
            of_v2.push_back(controller);
            continue;
        }
        const auto same =
            std::find_if(branches.begin(), branches.end(),
                         [&](const CgroupBranch& one) { return one.mount == v1->mount; });
        if (v1->mount && same != branches.end()) {
            same->controllers.push_back(controller);
            continue;
        }
        Result<CgroupBranch> branch = find_v1_branch(system, *v1, controller);
        if (!branch) {
            return branch.error();
        }
        branches.push_back(std::move(branch).value());
    }
    if (of_v2.empty()) {
        return branches;
    }
    const auto v2 = std::find_if(hierarchies.begin(), hierarchies.end(),
                                 [](const CgroupHierarchy& one) { return one.v2 && one.folder; });
    if (v2 == hierarchies.end()) {
        return plain_error("find", fmt::format("a place for {} cgroups", fmt::join(of_v2, " and ")),
                           "no mounted cgroup hierarchy has the controller, as /proc/self/cgroup "
                           "and /proc/self/mountinfo tell");
    }
    Result<CgroupBranch> branch = find_v2_branch(system, *v2, of_v2);
    if (!branch) {
        return branch.error();
    }
    branches.push_back(std::move(branch).value());
    return branches;
}

bool hands_down(const SystemRoot& system, const std::string& folder,
                const std::string& controller) {
    return lacking(system, folder + "/cgroup.subtree_control", {controller}).empty();
}

std::optional<CgroupBranch> find_accounting_v2(const SystemRoot& system) {
    for (const CgroupHierarchy& hierarchy : cgroup_hierarchies(system)) {
        if (!hierarchy.v2 || !hierarchy.folder) {
            continue;
        }
        const std::string& own = *hierarchy.folder;
        const auto branch = branch_below(system, hierarchy, own, {});
        if (branch && !hands_down(system, own, "cpu") && system.exists(own + "/cpu.stat")) {
            return *branch;
        }
    }
    return std::nullopt;
}

}  // namespace bench
