#include "common/scheduler_switches.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>

#include "common/cgroup_location.h"
#include "common/kernel_knob.h"
#include "common/sched_ext_scheduler.h"
#include "common/temporary_folder.h"

namespace bench {
namespace {

constexpr const char* kAutogroupKey = "kernel.sched_autogroup_enabled";

/// Holds for as long as this descriptor or a guardian's copy of it is open, and leaves nothing
/// behind. /proc is what all processes that could see each other's switches share.
Result<Fd> lock_machine(const SystemRoot& system) {
    const std::string path = system.resolve("/proc").string();
    Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd.valid()) {
        return errno_error("open", path);
    }
    while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) {
            return plain_error("switch", "scheduler",
                               "another bench has switched this machine's scheduler and not put it "
                               "back yet: one at a time");
        }
        if (errno != EINTR) {
            return errno_error("lock", path);
        }
    }
    return fd;
}

/// Whether autogroups would act on this process; nullopt: can't be told.
std::optional<bool> in_root_cpu_cgroup(const SystemRoot& system) {
    const std::optional<CgroupHierarchy> group = find_cgroup(system, "cpu");
    return group ? is_root_cgroup(system, *group) : std::nullopt;
}

class Switches final : public SchedulerSwitches {
  public:
    Switches(const SwitchOptions& options, const SystemRoot& system)
        : options_(options), system_(system) {}
    ~Switches() override { static_cast<void>(restore()); }
    Switches(const Switches&) = delete;
    Switches& operator=(const Switches&) = delete;

    /// All that can be found out without changing anything.
    Status prepare() {
        if (Status sound = check_switches(options_); !sound) {
            return sound;
        }
        Result<Fd> lock = lock_machine(system_);
        if (!lock) {
            return lock.error();
        }
        lock_ = std::move(lock).value();
        for (const auto& [key, value] : options_.sysctls) {
            if (Status read = add(read_sysctl_knob(system_, key, value)); !read) {
                return read;
            }
        }
        for (const std::string& word : options_.sched_features) {
            if (Status read = add(read_feature_knob(system_, word)); !read) {
                return read;
            }
        }
        if (Status read = prepare_autogroup(); !read) {
            return read;
        }
        return options_.scx.empty() ? Status() : SchedExtScheduler::check(system_, options_.scx);
    }

    Status set(StopSource& stop) {
        Guardian::Options keeping;
        for (const KernelKnob& knob : knobs_) {
            if (!knob.holds_already()) {
                keeping.restore_afterwards.push_back(old_content(system_, knob));
            }
        }
        keeping.keep_fds = {lock_.get()};
        if (!options_.scx.empty()) {
            keeping.scratch_prefix = temporary_prefix("bench-scx");
        }
        Result<Guardian> keeper = Guardian::start(std::move(keeping));
        if (!keeper) {
            return keeper.error();
        }
        keeper_.emplace(std::move(keeper).value());
        for (const KernelKnob& knob : knobs_) {
            if (knob.holds_already()) {
                continue;
            }
            if (Status done = set_knob(system_, knob); !done) {
                return done;
            }
        }
        return options_.scx.empty() ? Status() : start_scheduler(stop);
    }

    [[nodiscard]] Json description() const override {
        Json json = Json::object();
        for (const KernelKnob& knob : knobs_) {
            const bool autogroup = options_.autogroup && knob.name == kAutogroupKey;
            const auto shown = [&](const std::string& value) {
                return !autogroup ? value : std::string(value == "0" ? "off" : "on");
            };
            // It was read back when it was set, and was what had been asked.
            Json entry = {{"asked", shown(knob.asked)},
                          {"before", shown(knob.before)},
                          {"read_back", shown(knob.asked)}};
            if (autogroup) {
                json["autogroup"] = std::move(entry);
            } else {
                json[knob.kind == KernelKnob::Kind::feature ? "sched_features" : "sysctls"]
                    [knob.name] = std::move(entry);
            }
        }
        if (options_.autogroup && !autogroup_exists_) {
            json["autogroup"] = {{"asked", "off"}, {"note", "this kernel has no autogroups"}};
        }
        if (scheduler_) {
            json["sched_ext"] = scheduler_->description();
        }
        return json;
    }

    [[nodiscard]] std::vector<std::string> changes() override {
        std::vector<std::string> changes;
        if (!keeper_ || restored_) {
            return changes;
        }
        if (scheduler_) {
            if (auto change = scheduler_->change()) {
                changes.push_back(std::move(*change));
            }
        }
        for (const KernelKnob& knob : knobs_) {
            const Result<std::string> now = current_value(system_, knob);
            if (!now) {
                changes.push_back(now.error().message());
            } else if (*now != knob.asked) {
                changes.push_back(fmt::format("{} became '{}' during the cell: it was set to '{}'",
                                              knob.name, *now, knob.asked));
            }
        }
        return changes;
    }

    [[nodiscard]] Status restore() override {
        if (restored_ || !keeper_) {
            restored_ = true;
            lock_.reset();
            return {};
        }
        restored_ = true;
        std::string stayed;
        const auto add = [&](const std::string& what) {
            stayed += (stayed.empty() ? "" : "; ") + what;
        };
        if (scheduler_) {
            if (const Status stopped = scheduler_->stop(); !stopped) {
                add(stopped.error().message());
            }
            scheduler_.reset();
        }
        const Status kept = keeper_->stop(Duration::zero());
        for (const KernelKnob& knob : knobs_) {
            const Result<std::string> now = current_value(system_, knob);
            // One that was as asked from the start was never ours to put back.
            if (!knob.holds_already() && (!now || *now != knob.before)) {
                add(fmt::format("{} was '{}' and is {}", knob.name, knob.before,
                                now ? fmt::format("'{}'", *now) : "not readable"));
            }
        }
        lock_.reset();
        if (stayed.empty()) {
            return {};
        }
        if (!kept) {
            add(kept.error().message());
        }
        return plain_error("put back", "scheduler switches", stayed);
    }

  private:
    Status add(Result<KernelKnob> knob) {
        if (!knob) {
            return knob.error();
        }
        knobs_.push_back(std::move(knob).value());
        return {};
    }

    Status prepare_autogroup() {
        if (!options_.autogroup) {
            return {};
        }
        const bool on = *options_.autogroup;
        const Result<KernelKnob> knob = read_sysctl_knob(system_, kAutogroupKey, on ? "1" : "0");
        autogroup_exists_ = knob.ok() || knob.error().code != ENOENT;
        if (!autogroup_exists_) {
            // Without them they are off.
            return on ? plain_error("set", "autogroup on",
                                    "this kernel has no autogroups (CONFIG_SCHED_AUTOGROUP)")
                      : Status();
        }
        if (on && in_root_cpu_cgroup(system_) == false) {
            return plain_error("set", "autogroup on",
                               "autogroups act in the root cpu cgroup alone, and this process is "
                               "in " +
                                   find_cgroup(system_, "cpu")->path);
        }
        return add(knob);
    }

    Status start_scheduler(StopSource& stop) {
        auto started = SchedExtScheduler::start(
            {.program = options_.scx, .output = keeper_->scratch() / "output"}, *keeper_, stop,
            system_);
        if (!started) {
            return started.error();
        }
        scheduler_ = std::move(started).value();
        return {};
    }

    SwitchOptions options_;
    SystemRoot system_;
    Fd lock_;
    std::vector<KernelKnob> knobs_;
    bool autogroup_exists_ = false;
    std::optional<Guardian> keeper_;  ///< of the old values, the lock, the program's output
    std::unique_ptr<SchedExtScheduler> scheduler_;
    bool restored_ = false;
};

}  // namespace

Result<std::unique_ptr<SchedulerSwitches>> SchedulerSwitches::apply(const SwitchOptions& options,
                                                                    StopSource& stop,
                                                                    const SystemRoot& system) {
    auto switches = std::make_unique<Switches>(options, system);
    if (options.empty()) {
        return std::unique_ptr<SchedulerSwitches>(std::move(switches));
    }
    Status applied = switches->prepare();
    if (applied) {
        applied = switches->set(stop);
    }
    if (applied) {
        return std::unique_ptr<SchedulerSwitches>(std::move(switches));
    }
    Error error = applied.error();
    error.not_started = true;
    if (const Status restored = switches->restore(); !restored) {
        error.detail += (error.detail.empty() ? "" : "; ") + restored.error().message();
    }
    return error;
}

}  // namespace bench
