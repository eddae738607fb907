#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/bundle.h"
#include "common/result.h"
#include "common/stop_source.h"
#include "common/sysfs.h"

namespace bench {

/// Machine-wide scheduler switches that a cell runs under. They are set before it and put back
/// after it, also when bench is killed.
struct SwitchOptions {
    std::string scx;  ///< name of a sched_ext scheduler program in PATH, or its path; empty: none
    std::vector<std::pair<std::string, std::string>> sysctls;  ///< "kernel.sched_x", value
    std::vector<std::string> sched_features;                   ///< "NO_GENTLE_FAIR_SLEEPERS"
    std::optional<bool> autogroup;

    [[nodiscard]] bool empty() const {
        return scx.empty() && sysctls.empty() && sched_features.empty() && !autogroup;
    }
    bool operator==(const SwitchOptions&) const = default;
};

/// What can be told without a machine to be wrong: a key or feature set twice, --autogroup together
/// with its sysctl. An Error's object is the option. apply() checks it as well.
[[nodiscard]] Status check_switches(const SwitchOptions& options);

/// One value of --sysctl ("a.b=1" or "a.b=1,c.d=2": together; "none": as the machine has them),
/// --sched-feature ("X" or "X,NO_Y"; "none"), --scx (NAME, "none"), --autogroup (on, off). Errors
/// say what is allowed. A key or feature named twice in one value is refused. Keys come back in one
/// spelling ("kernel.x" for kernel/x), values with runs of white space as one blank.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::string>>> parse_sysctls(
    std::string_view text);
[[nodiscard]] Result<std::vector<std::string>> parse_sched_features(std::string_view text);
[[nodiscard]] Result<std::string> parse_scx(std::string_view text);
[[nodiscard]] Result<bool> parse_autogroup(std::string_view text);

/// The switches in force. Destroying it puts everything back.
class SchedulerSwitches {
  public:
    /// Reads the old values, has a guardian outside of this process group keep them, sets the new
    /// ones and reads them back; starts the sched_ext scheduler and waits until the kernel reports
    /// it enabled. An Error says which right, file or program is missing (with the cure) and leaves
    /// the machine as it was; it is not_started, also when a signal cut in (see `stop`). Only one
    /// bench at a time may switch a machine: another is refused. To be called before this process
    /// pins itself, since the scheduler's program inherits its CPUs.
    [[nodiscard]] static Result<std::unique_ptr<SchedulerSwitches>> apply(
        const SwitchOptions& options, StopSource& stop, const SystemRoot& system);

    SchedulerSwitches() = default;
    virtual ~SchedulerSwitches() = default;
    SchedulerSwitches(const SchedulerSwitches&) = delete;
    SchedulerSwitches& operator=(const SchedulerSwitches&) = delete;

    /// For run.json: per switch what was asked, was before, and was read back; sched_ext's state
    /// and ops name. Keys: docs/switches.md.
    [[nodiscard]] virtual Json description() const = 0;
    /// What is no longer as it was set, for the cell's taints: a sched_ext scheduler that was
    /// thrown out or ended (with the kernel's reason and its last words), a knob somebody turned.
    [[nodiscard]] virtual std::vector<std::string> changes() = 0;
    /// Puts everything back and reads that back; an Error names what stayed. Does nothing the
    /// second time.
    [[nodiscard]] virtual Status restore() = 0;
};

}  // namespace bench
