#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/sched_policy.h"
#include "common/sysfs.h"
#include "common/units.h"

namespace bench {

/// What --policy asks for. Numbers are the kernel's: SCHED_OTHER 0, FIFO 1, RR 2, BATCH 3, IDLE 5,
/// DEADLINE 6.
struct PolicyRequest {
    std::uint32_t policy = 0;
    std::uint32_t rt_priority = 0;  ///< 1..99 for FIFO and RR
    Duration runtime{};             ///< of DEADLINE; runtime <= deadline <= period
    Duration deadline{};
    Duration period{};

    [[nodiscard]] std::string text() const;  ///< "fifo:10", "deadline:25ms/100ms/100ms"
    [[nodiscard]] bool realtime() const;     ///< FIFO or RR
    [[nodiscard]] bool is_deadline() const;
    /// Shares the CPU by weight, so that nice has a meaning: OTHER and BATCH.
    [[nodiscard]] bool weighted() const;

    bool operator==(const PolicyRequest&) const = default;
};

/// What --uclamp asks for: 0..1024 each, min <= max.
struct UclampRequest {
    std::uint32_t min = 0;
    std::uint32_t max = 1024;
    bool operator==(const UclampRequest&) const = default;
};

/// What every worker of a cell is set to, by itself, before it reports ready. Absent: left as
/// inherited.
struct WorkerSettings {
    std::optional<PolicyRequest> policy;
    std::optional<int> nice;        ///< -20..19
    std::optional<Duration> slice;  ///< EEVDF's custom slice (Linux 6.12 and later)
    std::optional<UclampRequest> uclamp;
    std::optional<Duration> timer_slack;  ///< absent: 1 ns
    /// Worker i runs on CPU i modulo their number alone; empty: all may run everywhere.
    std::vector<int> pin_to;

    bool operator==(const WorkerSettings&) const = default;
};

/// One value of --policy, --nice, --slice, --uclamp, --timer-slack. Errors say what is allowed.
[[nodiscard]] Result<PolicyRequest> parse_policy(std::string_view text);
[[nodiscard]] Result<int> parse_nice(std::string_view text);
[[nodiscard]] Result<Duration> parse_slice(std::string_view text);
[[nodiscard]] Result<UclampRequest> parse_uclamp(std::string_view text);
[[nodiscard]] Result<Duration> parse_timer_slack(std::string_view text);

/// Settings that can't hold together: an Error (code 0) with object = the option to change.
[[nodiscard]] Status check_settings(const WorkerSettings& settings);

/// Sets the calling thread, worker `index`, and reads back that the kernel did as told: a setting
/// that an older kernel ignores (a custom slice) is an Error as well. Takes no memory from the heap
/// unless it fails. The Error's object is the setting ("policy fifo:80"); why it was refused is for
/// explain_refusal() to find out.
[[nodiscard]] Status apply_settings(const WorkerSettings& settings, std::uint32_t index);

/// The same Error with the cause as far as it can be found out, told apart: no CAP_SYS_NICE and the
/// value of RLIMIT_RTPRIO or RLIMIT_NICE; no real-time budget of the cpu cgroup; deadline admission
/// with its arithmetic for `workers` of them; an affinity smaller than the root domain; a kernel
/// that lacks the feature.
[[nodiscard]] Error explain_refusal(const Error& refused, const WorkerSettings& settings,
                                    std::uint32_t workers, const SystemRoot& system);

/// Asked and read back, where they differ: "policy other instead of batch"; empty: as asked.
[[nodiscard]] std::vector<std::string> settings_differences(const WorkerSettings& settings,
                                                            const WorkerReadback& readback);

}  // namespace bench
