#include "fairuser/fairuser.h"

#include <fmt/format.h>

#include "common/affinity.h"
#include "common/guest_pause.h"
#include "common/process_group.h"
#include "fairuser/build.h"
#include "fairuser/chat.h"
#include "fairuser/figures.h"
#include "fairuser/import.h"
#include "fairuser/reference.h"
#include "fairuser/work_folders.h"

namespace bench::fairuser {
namespace {

Status not_started(Status status) {
    if (status) {
        return status;
    }
    Error error = status.error();
    error.not_started = true;
    return error;
}

Workload make_workload(const Options& options, std::size_t index, const WorkFolder& folder) {
    const UserSpec& user = options.users[index];
    switch (options.workload) {
        case WorkloadKind::spin:
            return spin_workload(user);
        case WorkloadKind::pipe:
            return pipe_workload(user);
        case WorkloadKind::volano: {
            const std::int64_t port =
                options.port ? *options.port + static_cast<std::int64_t>(index) : 0;
            return chat_workload(chat_size(options), static_cast<std::uint16_t>(port));
        }
        case WorkloadKind::make:
            return build_workload(options, user, folder);
        case WorkloadKind::command:
            break;
    }
    std::string command = *user.command;
    constexpr std::string_view kJobs = "{jobs}";
    const std::string jobs = std::to_string(user.jobs);
    for (std::size_t at = command.find(kJobs); at != std::string::npos;
         at = command.find(kJobs, at + jobs.size())) {
        command.replace(at, kJobs.size(), jobs);
    }
    Workload workload = program_workload({"/bin/sh", "-c", command});
    workload.environment = build_environment(folder);
    workload.folder = folder.work;
    return workload;
}

Json describe_identity(const std::optional<UserIdentity>& identity) {
    if (!identity) {
        return nullptr;
    }
    return {{"uid", identity->uid},
            {"gid", identity->gid},
            {"groups", identity->groups},
            {"account", identity->account}};
}

template <class T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

}  // namespace

/// What a cell stands on, in the order in which it was made.
struct FairUser::Prepared {
    Guardian folder;
    UserIdentities identities;
    std::unique_ptr<UserCgroups> groups;  ///< null: none
    std::vector<std::string> notes;
    std::vector<Competitor> together;
    std::vector<Competitor> solo;

    explicit Prepared(Guardian run_folder) : folder(std::move(run_folder)) {}
    Prepared(const Prepared&) = delete;
    Prepared& operator=(const Prepared&) = delete;
    ~Prepared() { static_cast<void>(clean_up()); }

    /// Groups and folders go; an Error names what stayed.
    Status clean_up() {
        const Status removed = groups ? groups->remove() : Status();
        const Status emptied = folder.stop(Duration::zero());
        return removed ? emptied : removed;
    }
};

std::string_view FairUser::summary() const {
    return "does each user get a fair share of the CPU, and at what price?";
}
void FairUser::add_options(CLI::App& app) {
    fairuser::add_options(app, options_);
}
std::vector<BenchmarkAxis> FairUser::axes() {
    return fairuser::axes(options_);
}
Status FairUser::check_options() const {
    return fairuser::check_options(options_);
}
Status FairUser::check_settings(const WorkerSettings& settings, bool pin) const {
    return fairuser::check_settings(options_, settings, pin);
}
bool FairUser::has_duration() const {
    return options_.end() == Ending::time;
}
std::vector<std::pair<std::string, std::string>> FairUser::variant() const {
    return fairuser::variant(options_);
}
std::vector<Metric> FairUser::metrics() const {
    return fairuser::metrics();
}
std::vector<TableColumn> FairUser::table() const {
    return fairuser::table();
}
std::vector<LateFigures> FairUser::beside(const std::vector<SummaryRow>& block) const {
    return efficiency_beside_ungrouped(block);
}
Result<ImportedCell> FairUser::import_classic(std::string_view text) const {
    return fairuser::import_classic(text);
}

Status FairUser::check_requirements(const CellPlan& /*plan*/, const SystemRoot& system) const {
    if (options_.workload == WorkloadKind::make) {
        if (Status can = check_build(options_); !can) {
            return can;
        }
    }
    if (options_.workload == WorkloadKind::volano) {
        if (Status can = check_loopback(system); !can) {
            return can;
        }
    }
    if (options_.group == GroupMode::autogroup) {
        if (Status can = check_autogroup_usable(system); !can) {
            return can;
        }
    }
    WorkerNeeds needs{.workers = 0, .kind = WorkerKind::process, .parent_fds = 0};
    for (std::size_t i = 0; i < options_.users.size(); ++i) {
        const Workload workload = make_workload(options_, i, {});
        needs.workers += 2 + workload.tasks;  // a leader and a guardian
        needs.parent_fds = std::max(needs.parent_fds, workload.files);
    }
    return reserve_for_workers(needs, system);
}

Result<Competitor> FairUser::make_competitor(std::size_t index, const std::string& session,
                                             StopSource& stop) {
    Prepared& prepared = *prepared_;
    Competitor one;
    one.user = options_.users[index];
    one.group = index;
    if (!prepared.identities.users.empty()) {
        one.identity = prepared.identities.users[index];
    }
    auto folder = make_work_folder(prepared.folder.scratch(), session, one.user.name, one.identity);
    if (!folder) {
        return folder.error();
    }
    one.output = folder->output;
    if (options_.workload == WorkloadKind::make) {
        if (Status ready = prepare_build(options_, *folder, one.identity, prepared.folder, stop);
            !ready) {
            return ready.error();
        }
    }
    one.workload = make_workload(options_, index, *folder);
    // Not an account's real home: nothing shall be left in it.
    one.workload.environment.push_back("HOME=" + folder->home.string());
    return one;
}

Status FairUser::prepare(const CellPlan& /*plan*/, const SystemRoot& system, StopSource& stop) {
    auto folder = make_run_folder();
    if (!folder) {
        return not_started(folder.error());
    }
    prepared_ = std::make_shared<Prepared>(std::move(*folder));
    std::vector<std::string> names;
    for (const UserSpec& user : options_.users) {
        names.push_back(user.name);
    }
    auto identities = resolve_users(names, system);
    if (!identities) {
        return not_started(identities.error());
    }
    prepared_->identities = std::move(*identities);
    if (!prepared_->identities.note.empty()) {
        prepared_->notes.push_back(prepared_->identities.note);
    }
    if (Status open = check_folders(); !open) {
        return not_started(open);
    }
    if (Status grouped = make_groups(system); !grouped) {
        return not_started(grouped);
    }
    for (std::size_t i = 0; i < options_.users.size(); ++i) {
        for (const bool alone : {true, false}) {
            if (alone && !options_.solo) {
                continue;
            }
            auto one = make_competitor(i, alone ? "solo" : "all", stop);
            if (!one) {
                return not_started(one.error());
            }
            (alone ? prepared_->solo : prepared_->together).push_back(std::move(*one));
        }
    }
    return {};
}

/// Users with uids of their own must get to where they work and read.
Status FairUser::check_folders() const {
    struct Needed {
        std::filesystem::path folder;
        const char* cure;
    };
    std::vector<Needed> all = {
        {prepared_->folder.scratch(), "set TMPDIR to a folder that all may pass through"}};
    if (!options_.source.empty()) {
        all.push_back({options_.source, "--source must be a tree that all users may read"});
    }
    for (const UserIdentity& identity : prepared_->identities.users) {
        for (const Needed& one : all) {
            if (Status open = check_passage(one.folder, identity); !open) {
                Error error = open.error();
                error.detail += std::string(error.detail.empty() ? "" : ": ") + one.cure;
                return error;
            }
        }
    }
    return {};
}

Status FairUser::make_groups(const SystemRoot& system) {
    UserCgroups::Options groups;
    groups.grouping = options_.group == GroupMode::cgroup ? UserCgroups::Grouping::weighted
                                                          : UserCgroups::Grouping::accounting;
    for (const UserSpec& user : options_.users) {
        groups.users.push_back({user.name, static_cast<std::uint32_t>(user.weight)});
    }
    if (!options_.exclusive_cpus.empty()) {
        auto cpus = CpuSet::parse(options_.exclusive_cpus);
        if (!cpus) {
            return cpus.error();
        }
        groups.exclusive_cpus = *cpus;
    }
    auto made = UserCgroups::create(groups, system);
    if (made) {
        prepared_->groups = std::move(*made);
        for (const std::string& note : prepared_->groups->notes()) {
            prepared_->notes.push_back(note);
        }
        return {};
    }
    if (options_.group == GroupMode::cgroup || groups.exclusive_cpus) {
        return made.error();
    }
    // They were to account alone, and the processes can be asked as well.
    prepared_->notes.push_back("CPU time is that of the processes: " + made.error().message());
    return {};
}

Result<std::int64_t> FairUser::count_cpus() const {
    if (!options_.exclusive_cpus.empty()) {
        auto cpus = CpuSet::parse(options_.exclusive_cpus);
        return cpus ? Result<std::int64_t>(static_cast<std::int64_t>(cpus->size()))
                    : Result<std::int64_t>(cpus.error());
    }
    auto allowed = get_affinity();
    return allowed ? Result<std::int64_t>(static_cast<std::int64_t>(allowed->size()))
                   : Result<std::int64_t>(allowed.error());
}

Json FairUser::describe(const SessionRecord& record, const std::vector<SessionRecord>& solo,
                        std::int64_t cpus) const {
    Json details;
    details["cpus"] = cpus;
    details["share_model"] = share_model(cpus);
    details["ending"] = word(options_.end());
    details["cpu_time_from"] = record.accounting;
    details["competed_ns"] = record.together.at.count();
    details["elapsed_ns"] = record.elapsed.count();
    if (prepared_->groups) {
        details["cgroups"] = prepared_->groups->description();
    } else {
        details["cgroups"] = nullptr;
    }
    Json users = Json::array();
    for (std::size_t i = 0; i < options_.users.size(); ++i) {
        const UserSpec& spec = options_.users[i];
        const UserRecord& user = record.users[i];
        Json one = {{"name", spec.name},
                    {"jobs", spec.jobs},
                    {"weight", spec.weight},
                    {"nice", user.readback.sched.nice},
                    {"command", command_text(options_, spec)},
                    {"pid", user.pid},
                    {"identity", describe_identity(prepared_->together[i].identity)},
                    {"autogroup", or_null(user.autogroup)}};
        if (user.port) {
            one["port"] = *user.port;
            one["messages"] = {{"sent", user.sent},
                               {"received", user.received},
                               {"total", user.sent + user.received}};
        }
        if (i < solo.size()) {
            const UserRecord& alone = solo[i].users.front();
            one["solo"] = {{"elapsed_ns", solo[i].elapsed.count()},
                           {"cpu_time_ns", alone.cpu_time.count()}};
        }
        users.push_back(std::move(one));
    }
    details["users"] = std::move(users);
    return details;
}

Result<CellOutcome> FairUser::run(const CellContext& context) {
    if (!prepared_) {
        if (Status prepared = prepare(context.plan, context.system, context.stop); !prepared) {
            return prepared.error();
        }
    }
    // Groups and folders of this cell go with it.
    const std::shared_ptr<Prepared> prepared = prepared_;
    const auto cpus = count_cpus();
    if (!cpus) {
        return cpus.error();
    }
    SessionPlan plan;
    plan.ending = options_.end();
    plan.duration = context.plan.duration;
    plan.own_sessions = options_.group == GroupMode::autogroup;
    plan.groups = prepared->groups.get();
    plan.folder = &prepared->folder;
    plan.settings = context.settings;
    std::vector<SessionRecord> solo;
    for (Competitor& one : prepared->solo) {
        plan.users.assign(1, one);
        auto record = run_session(plan, context.stop, context.system);
        if (!record) {
            return record.error();
        }
        solo.push_back(std::move(*record));
    }
    plan.users = prepared->together;
    auto record = run_session(plan, context.stop, context.system);
    if (!record) {
        return record.error();
    }
    auto figures = make_figures(options_, *record, solo, *cpus);
    if (!figures) {
        return figures.error();
    }
    CellOutcome outcome;
    outcome.series = std::move(figures->series);
    outcome.taints = record->taints;
    if (auto doubt = efficiency_taint(figures->fairness.efficiency, "the solo runs")) {
        outcome.taints.push_back(std::move(*doubt));
    }
    if (workloads_pause && options_.workload != WorkloadKind::spin) {
        outcome.taints.emplace_back(
            "this workload does not PAUSE, and the guest's CPUs take turns: see vcpu_gap");
    }
    outcome.notes = prepared->notes;
    for (const UserRecord& user : record->users) {
        outcome.workers.push_back(user.readback);
    }
    outcome.details = describe(*record, solo, *cpus);
    if (Status clean = prepared->clean_up(); !clean) {
        outcome.taints.push_back("left behind: " + clean.error().message());
    }
    prepared_.reset();
    return outcome;
}

std::unique_ptr<Benchmark> make_benchmark() {
    return std::make_unique<FairUser>();
}

}  // namespace bench::fairuser
