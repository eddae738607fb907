#include "common/worker_settings.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "common/affinity.h"
#include "common/clock.h"
#include "common/kernel_sched_attr.h"
#include "common/syscalls.h"

namespace bench {
namespace {

using namespace std::chrono_literals;

std::uint64_t unsigned_ns(Duration duration) {
    return static_cast<std::uint64_t>(duration.count());
}

std::string policy_object(const WorkerSettings& settings, const SchedAttributes& now) {
    std::string text;
    const auto add = [&text](const std::string& part) {
        text += (text.empty() ? "" : ", ") + part;
    };
    if (settings.policy) {
        add("policy " + settings.policy->text());
    }
    if (settings.nice) {
        add(fmt::format("nice {} (from {})", *settings.nice, now.nice));
    }
    if (settings.slice) {
        add("slice " + format_duration(*settings.slice));
    }
    if (settings.uclamp) {
        add(fmt::format("uclamp {}:{}", settings.uclamp->min, settings.uclamp->max));
    }
    if (settings.timer_slack) {
        add("timer slack " + format_duration(*settings.timer_slack));
    }
    return text;
}

/// What the calling task shall have: what it has, with what is asked in place.
KernelSchedAttr wanted_attributes(const WorkerSettings& settings, const SchedAttributes& now) {
    KernelSchedAttr attr;
    // The utilisation fields are sent only when asked for, so that a kernel without them is not
    // troubled.
    attr.size = settings.uclamp ? sizeof attr : kSizeWithoutUtil;
    attr.nice = settings.nice.value_or(now.nice);
    if (settings.policy) {
        attr.policy = settings.policy->policy;
        attr.priority = settings.policy->rt_priority;
        attr.runtime = unsigned_ns(settings.policy->runtime);
        attr.deadline = unsigned_ns(settings.policy->deadline);
        attr.period = unsigned_ns(settings.policy->period);
    } else {
        attr.policy = now.policy;
        attr.priority = now.rt_priority;
        attr.deadline = now.deadline_ns;
        attr.period = now.period_ns;
        attr.runtime = attr.policy == kSchedDeadline ? now.runtime_ns : 0;
    }
    if (settings.slice) {
        attr.runtime = unsigned_ns(*settings.slice);
    }
    if (settings.uclamp) {
        attr.flags |= kFlagUtilClampMin | kFlagUtilClampMax;
        attr.util_min = settings.uclamp->min;
        attr.util_max = settings.uclamp->max;
    }
    return attr;
}

/// Bandwidth of a deadline task that has just ended is given back only when its last period is
/// over: EBUSY is asked again for as long as that may take.
bool set_with_patience(const KernelSchedAttr& attr) {
    const Duration patience =
        std::clamp<Duration>(2 * Duration(static_cast<std::int64_t>(attr.period)), 100ms, 10s);
    const TimePoint until = MonotonicClock::now() + patience;
    while (syscalls().sched_setattr(0, &attr, 0) != 0) {
        if (errno == EINTR) {
            continue;
        }
        if (errno != EBUSY || MonotonicClock::now() >= until) {
            return false;
        }
        std::this_thread::sleep_for(10ms);
        errno = EBUSY;
    }
    return true;
}

Status set_policy(const WorkerSettings& settings) {
    const bool attributes = settings.policy || settings.nice || settings.slice || settings.uclamp;
    if (!attributes && !settings.timer_slack) {
        return {};
    }
    const auto now = get_sched_attributes();
    if (!now) {
        return now.error();
    }
    const std::string object = policy_object(settings, *now);
    WorkerSettings whole = settings;
    if (!whole.policy) {
        // What has no meaning under an inherited policy is refused like under one asked for.
        whole.policy = PolicyRequest{};
        whole.policy->policy = now->policy;
        whole.policy->rt_priority = now->rt_priority;
        if (const Status sound = check_settings(whole); !sound) {
            return plain_error("set", object, sound.error().detail + ", which was inherited");
        }
    }
    if (attributes && !set_with_patience(wanted_attributes(settings, *now))) {
        return errno_error("sched_setattr", object);
    }
    return {};
}

/// Timers of normal policies may be 50 us late by default, those of real-time ones are not.
constexpr Duration kLeastSlack(1);

Status set_timer_slack(const WorkerSettings& settings) {
    const Duration slack = settings.timer_slack.value_or(kLeastSlack);
    if (::prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack.count()), 0UL, 0UL, 0UL) != 0) {
        return errno_error("prctl PR_SET_TIMERSLACK", format_duration(slack));
    }
    return {};
}

Status pin(const WorkerSettings& settings, std::uint32_t index) {
    if (settings.pin_to.empty()) {
        return {};
    }
    return set_affinity(CpuSet({settings.pin_to[index % settings.pin_to.size()]}));
}

}  // namespace

Status apply_settings(const WorkerSettings& settings, std::uint32_t index) {
    // Affinity before policy: deadline admission looks at it. Slack after it: leaving a real-time
    // policy sets it anew.
    if (Status pinned = pin(settings, index); !pinned) {
        return pinned;
    }
    if (Status set = set_policy(settings); !set) {
        return set;
    }
    if (Status set = set_timer_slack(settings); !set) {
        return set;
    }
    const auto readback = read_back_self();
    if (!readback) {
        return readback.error();
    }
    if (const auto differences = settings_differences(settings, *readback); !differences.empty()) {
        return plain_error("read back", differences.front(), {});
    }
    return {};
}

std::vector<std::string> settings_differences(const WorkerSettings& settings,
                                              const WorkerReadback& readback) {
    std::vector<std::string> differences;
    const SchedAttributes& got = readback.sched;
    const auto differ = [&](std::string what) { differences.push_back(std::move(what)); };
    if (settings.policy) {
        const std::string text = got.policy_text();
        // A sched_ext scheduler that takes all tasks may show in place of the normal policies.
        const bool taken_over = got.policy == kSchedExt && !settings.policy->realtime() &&
                                !settings.policy->is_deadline();
        if (!taken_over && text != settings.policy->text()) {
            differ(fmt::format("policy {} instead of {}", text, settings.policy->text()));
        }
    }
    if (settings.nice && got.nice != *settings.nice) {
        differ(fmt::format("nice {} instead of {}", got.nice, *settings.nice));
    }
    if (settings.slice && got.runtime_ns != unsigned_ns(*settings.slice)) {
        differ(
            got.runtime_ns == 0
                ? "no custom slice: the kernel ignores it (Linux 6.12 and later have it)"
                : fmt::format("slice {} instead of {}",
                              format_duration(Duration(static_cast<std::int64_t>(got.runtime_ns))),
                              format_duration(*settings.slice)));
    }
    if (settings.uclamp &&
        (got.util_min != settings.uclamp->min || got.util_max != settings.uclamp->max)) {
        differ(got.util_min ? fmt::format("uclamp {}:{} instead of {}:{}", *got.util_min,
                                          got.util_max.value_or(0), settings.uclamp->min,
                                          settings.uclamp->max)
                            : "no utilisation clamp: the kernel was built without it "
                              "(CONFIG_UCLAMP_TASK)");
    }
    if (settings.timer_slack && readback.timer_slack_ns != unsigned_ns(*settings.timer_slack)) {
        differ(fmt::format("timer slack {} ns instead of {}", readback.timer_slack_ns,
                           format_duration(*settings.timer_slack)));
    }
    return differences;
}

}  // namespace bench
