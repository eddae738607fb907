#include "common/user_cgroups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "common/cgroup_branch.h"
#include "common/cgroup_leftovers.h"
#include "common/cgroup_removal.h"
#include "common/cgroup_setup.h"
#include "common/environment_text.h"

namespace bench {
namespace {

using Json = nlohmann::ordered_json;

bool holds(const std::vector<std::string>& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

/// "0-vatsa"; whatever a file name had better not hold becomes '_'.
std::string folder_of_user(std::size_t index, const std::string& name) {
    constexpr std::size_t kLongest = 64;
    std::string folder = fmt::format("{}-{}", index, name.substr(0, kLongest));
    for (char& c : folder) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
        c = plain ? c : '_';
    }
    return folder;
}

/// What is made in one hierarchy.
struct Branch {
    CgroupBranch place;
    std::string base;                ///< the group of the run
    std::vector<std::string> users;  ///< a group each inside it; empty: all are in `base`

    [[nodiscard]] bool controls(std::string_view controller) const {
        return holds(place.controllers, controller);
    }
};

class Groups final : public UserCgroups {
  public:
    Groups(const Options& options, const SystemRoot& system) : options_(options), system_(system) {}
    ~Groups() override { static_cast<void>(remove()); }
    Groups(const Groups&) = delete;
    Groups& operator=(const Groups&) = delete;

    Status set_up() {
        if (Status sound = check_options(); !sound) {
            return sound;
        }
        notes_ = remove_leftover_cgroups(system_);
        if (Status found = find_places(); !found) {
            return found;
        }
        if (Status kept = start_keeper(); !kept) {
            return kept;
        }
        for (const Branch& branch : branches_) {
            if (Status made = make(branch); !made) {
                return made;
            }
        }
        return {};
    }

    [[nodiscard]] std::vector<std::filesystem::path> join_files(std::size_t index) const override {
        std::vector<std::filesystem::path> files;
        for (const Branch& branch : branches_) {
            const std::string& group = branch.users.empty() ? branch.base : branch.users.at(index);
            files.push_back(system_.resolve(group + "/cgroup.procs"));
        }
        return files;
    }

    [[nodiscard]] bool has_accounting() const override { return !accounting_file_.empty(); }
    [[nodiscard]] std::string accounting_source() const override { return accounting_file_; }

    [[nodiscard]] Result<Duration> cpu_time(std::size_t index) const override {
        if (!has_accounting()) {
            return plain_error("account for", options_.users.at(index).name, "no cgroup does");
        }
        const std::string file = branches_[accounting_].users.at(index) + "/" + accounting_file_;
        const Result<std::string> text = system_.read(file);
        if (!text) {
            return text.error();
        }
        const bool v2 = branches_[accounting_].place.v2;
        const auto value = v2 ? environment::value_of(*text, "usage_usec", ' ')
                              : std::optional(environment::trim(*text));
        const auto number = value ? environment::whole_number(*value) : std::nullopt;
        if (!number) {
            return plain_error("read", file, "it holds no CPU time");
        }
        return v2 ? Duration(std::chrono::microseconds(*number)) : Duration(*number);
    }

    [[nodiscard]] Status kill_all(std::size_t index) override {
        for (const Branch& branch : branches_) {
            if (branch.users.empty()) {
                continue;  // others are in it as well
            }
            const std::string& group = branch.users.at(index);
            if (Status empty = empty_cgroup(system_.resolve(group).string()); !empty) {
                return empty;
            }
        }
        return {};
    }

    [[nodiscard]] bool changes_cpu_group() const override {
        return std::any_of(branches_.begin(), branches_.end(), [&](const Branch& branch) {
            if (branch.controls("cpu")) {
                return true;
            }
            // A v2 group has the controllers that its parent hands down, asked for or not.
            return branch.place.v2 && hands_down(system_, branch.place.parent, "cpu");
        });
    }

    [[nodiscard]] Json description() const override { return description_; }
    [[nodiscard]] const std::vector<std::string>& notes() const override { return notes_; }
    [[nodiscard]] const Guardian& keeper() const override { return *keeper_; }

    [[nodiscard]] Status remove() override {
        if (!keeper_ || removed_) {
            return {};
        }
        removed_ = true;
        return keeper_->stop(Duration::zero());
    }

  private:
    [[nodiscard]] Status check_options() const {
        if (options_.exclusive_cpus && options_.exclusive_cpus->empty()) {
            return plain_error("set", "exclusive CPUs", "at least one is wanted");
        }
        for (const User& user : options_.users) {
            if (user.weight < kMinWeight || user.weight > kMaxWeight) {
                return plain_error("set", fmt::format("weight {} of {}", user.weight, user.name),
                                   fmt::format("{}..{} is allowed", kMinWeight, kMaxWeight));
            }
        }
        return {};
    }

    Status find_places() {
        const Result<CgroupOwner> owner = own_cgroup_owner(system_);
        if (!owner) {
            return owner.error();
        }
        name_ = owner->folder_name();
        const bool weighted = options_.grouping == Grouping::weighted;
        std::vector<std::string> controllers;
        if (weighted) {
            controllers.emplace_back("cpu");
        }
        if (options_.exclusive_cpus) {
            controllers.emplace_back("cpuset");
        }
        const auto places = find_branches(controllers, system_);
        if (!places) {
            return places.error();
        }
        for (const CgroupBranch& place : *places) {
            add_branch(place, weighted && holds(place.controllers, "cpu"));
        }
        if (options_.grouping != Grouping::none) {
            find_accounting();
        }
        return {};
    }

    void add_branch(const CgroupBranch& place, bool per_user) {
        Branch branch{place, place.parent + "/" + name_, {}};
        if (place.parent == "/") {
            branch.base = "/" + name_;
        }
        for (std::size_t i = 0; per_user && i < options_.users.size(); ++i) {
            branch.users.push_back(branch.base + "/" + folder_of_user(i, options_.users[i].name));
        }
        branches_.push_back(std::move(branch));
    }

    void account_in(std::size_t branch, const char* file) {
        accounting_ = branch;
        accounting_file_ = file;
    }

    /// In the groups that are made anyhow, else in a hierarchy where more groups change nothing.
    void find_accounting() {
        for (std::size_t i = 0; i < branches_.size(); ++i) {
            if (branches_[i].place.v2 && !branches_[i].users.empty()) {
                return account_in(i, "cpu.stat");
            }
        }
        const auto cpuacct = find_branches({"cpuacct"}, system_);
        if (cpuacct && !cpuacct->front().v2) {
            const CgroupBranch& place = cpuacct->front();
            for (std::size_t i = 0; i < branches_.size(); ++i) {
                if (branches_[i].place.mount == place.mount && !branches_[i].users.empty()) {
                    return account_in(i, "cpuacct.usage");
                }
            }
            if (is_apart(place)) {
                add_branch(place, true);
                return account_in(branches_.size() - 1, "cpuacct.usage");
            }
        }
        const auto v2 = find_accounting_v2(system_);
        if (v2 && is_apart(*v2)) {
            add_branch(*v2, true);
            return account_in(branches_.size() - 1, "cpu.stat");
        }
        notes_.emplace_back(
            "no cgroup accounts for the users' CPU time: no writable cpuacct or v2 group without "
            "effect on their scheduling");
    }

    /// Groups there touch neither the cpu group nor a group that is made for something else.
    [[nodiscard]] bool is_apart(const CgroupBranch& place) const {
        const bool used =
            std::any_of(branches_.begin(), branches_.end(),
                        [&](const Branch& branch) { return branch.place.mount == place.mount; });
        const auto cpu = find_cgroup(system_, "cpu");
        const bool with_cpu = !place.v2 && cpu && cpu->mount == place.mount;
        return !used && !with_cpu;
    }

    Status start_keeper() {
        Guardian::Options keeping;
        for (const Branch& branch : branches_) {
            keeping.remove_cgroups_afterwards.push_back(system_.resolve(branch.base));
            for (const std::string& user : branch.users) {
                keeping.remove_cgroups_afterwards.push_back(system_.resolve(user));
            }
            if (!branch.place.to_enable.empty()) {
                keeping.restore_afterwards.push_back(
                    {system_.resolve(branch.place.parent + "/cgroup.subtree_control"),
                     fmt::format("-{}", fmt::join(branch.place.to_enable, " -"))});
            }
        }
        Result<Guardian> keeper = Guardian::start(std::move(keeping));
        if (!keeper) {
            return keeper.error();
        }
        keeper_.emplace(std::move(keeper).value());
        return {};
    }

    Status make(const Branch& branch) {
        if (Status enabled = hand_down(system_, branch.place.parent, branch.place.to_enable);
            !enabled) {
            return enabled;
        }
        if (Status made = make_cgroup(system_, branch.base); !made) {
            return made;
        }
        if (branch.controls("cpuset")) {
            if (Status set = isolate(branch); !set) {
                return set;
            }
        }
        if (branch.place.v2 && branch.controls("cpu")) {
            if (Status enabled = hand_down(system_, branch.base, {"cpu"}); !enabled) {
                return enabled;
            }
        }
        return make_users(branch);
    }

    Status isolate(const Branch& branch) {
        const CpuSet& cpus = *options_.exclusive_cpus;
        const bool v2 = branch.place.v2;
        if (Status set = set_cpus(system_, branch.base, v2, branch.place.parent, cpus); !set) {
            return set;
        }
        if (Status exclusive = make_exclusive(system_, branch.base, v2); !exclusive) {
            return exclusive;
        }
        description_["cpuset"] = {{"version", v2 ? "v2" : "v1"},
                                  {"folder", branch.base},
                                  {"cpus", cpus.to_list()},
                                  {v2 ? "partition" : "cpu_exclusive", v2 ? "root" : "1"}};
        return {};
    }

    Status make_users(const Branch& branch) {
        const bool v2 = branch.place.v2;
        const bool weighted = branch.controls("cpu") && !branch.users.empty();
        if (weighted) {
            // Against the rest of the machine the run counts as its users would by themselves.
            const auto sum = std::accumulate(
                options_.users.begin(), options_.users.end(), std::uint64_t{0},
                [](std::uint64_t so_far, const User& user) { return so_far + user.weight; });
            const auto weight =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, kMaxWeight));
            if (Status set = set_weight(system_, branch.base, v2, weight); !set) {
                return set;
            }
            description_["cpu"] = {{"version", v2 ? "v2" : "v1"},
                                   {"folder", branch.base},
                                   {"weight", weight},
                                   {"users", Json::array()}};
        }
        for (std::size_t i = 0; i < branch.users.size(); ++i) {
            if (Status made = make_user(branch, i, weighted); !made) {
                return made;
            }
        }
        if (has_accounting() && &branch == &branches_[accounting_]) {
            description_["accounting"] = {
                {"version", v2 ? "v2" : "v1"}, {"folder", branch.base}, {"file", accounting_file_}};
        }
        return {};
    }

    Status make_user(const Branch& branch, std::size_t index, bool weighted) {
        const User& user = options_.users[index];
        const std::string& folder = branch.users[index];
        const bool v2 = branch.place.v2;
        if (Status made = make_cgroup(system_, folder); !made) {
            return made;
        }
        if (!v2 && branch.controls("cpuset")) {
            if (Status set = set_cpus(system_, folder, v2, branch.base, *options_.exclusive_cpus);
                !set) {
                return set;
            }
        }
        if (!weighted) {
            return {};
        }
        if (Status set = set_weight(system_, folder, v2, user.weight); !set) {
            return set;
        }
        Json entry = {{"user", user.name}, {"folder", folder}, {"weight", user.weight}};
        if (!v2) {
            entry["shares"] = shares_of_weight(user.weight);
        }
        description_["cpu"]["users"].push_back(std::move(entry));
        return {};
    }

    Options options_;
    SystemRoot system_;
    std::string name_;
    std::vector<Branch> branches_;
    std::size_t accounting_ = 0;  ///< which branch; means nothing while the file's name is empty
    std::string accounting_file_;
    std::vector<std::string> notes_;
    Json description_ = Json::object();
    std::optional<Guardian> keeper_;
    bool removed_ = false;
};

}  // namespace

std::uint64_t shares_of_weight(std::uint32_t weight) {
    return (std::uint64_t{weight} * 1024 + 50) / 100;
}

Result<std::unique_ptr<UserCgroups>> UserCgroups::create(const Options& options,
                                                         const SystemRoot& system) {
    auto groups = std::make_unique<Groups>(options, system);
    const Status made = groups->set_up();
    if (made) {
        return std::unique_ptr<UserCgroups>(std::move(groups));
    }
    Error error = made.error();
    error.not_started = true;
    if (const Status removed = groups->remove(); !removed) {
        error.detail += (error.detail.empty() ? "" : "; ") + removed.error().message();
    }
    return error;
}

}  // namespace bench
