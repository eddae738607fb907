#include <fmt/format.h>

#include <array>

#include "common/kernel_sched_attr.h"
#include "common/worker_settings.h"

namespace bench {
namespace {

constexpr std::string_view kPolicies =
    "other, batch, idle, fifo:PRIO, rr:PRIO, deadline:RUNTIME/DEADLINE/PERIOD";
/// Below it the kernel's fixed-point arithmetic has no digit left.
constexpr Duration kShortestRuntime = std::chrono::nanoseconds(1024);

Error bad(std::string_view what, std::string detail) {
    return plain_error("parse", std::string(what), std::move(detail));
}

Result<std::uint32_t> parse_rt_priority(std::string_view name, std::string_view text) {
    const auto priority = parse_integer(text, 1, 99);
    if (!priority) {
        return bad("policy",
                   fmt::format("'{}:{}': the priority is a whole number of 1..99", name, text));
    }
    return static_cast<std::uint32_t>(*priority);
}

Result<PolicyRequest> parse_deadline(std::string_view text) {
    const std::size_t first = text.find('/');
    const std::size_t second = first == std::string_view::npos ? first : text.find('/', first + 1);
    if (second == std::string_view::npos || text.find('/', second + 1) != std::string_view::npos) {
        return bad("policy", fmt::format("'deadline:{}': write RUNTIME/DEADLINE/PERIOD, e.g. "
                                         "deadline:25ms/100ms/100ms",
                                         text));
    }
    PolicyRequest request;
    request.policy = kSchedDeadline;
    const std::array<std::pair<std::string_view, Duration*>, 3> parts = {
        {{text.substr(0, first), &request.runtime},
         {text.substr(first + 1, second - first - 1), &request.deadline},
         {text.substr(second + 1), &request.period}}};
    for (const auto& [part, into] : parts) {
        const auto value = parse_duration(part);
        if (!value) {
            return bad("policy", fmt::format("'deadline:{}': {}", text, value.error().detail));
        }
        *into = *value;
    }
    if (request.runtime < kShortestRuntime) {
        return bad("policy", fmt::format("'deadline:{}': the runtime is at least {}", text,
                                         format_duration(kShortestRuntime)));
    }
    if (request.runtime > request.deadline || request.deadline > request.period) {
        return bad("policy",
                   fmt::format("'deadline:{}': it must be runtime <= deadline <= period", text));
    }
    return request;
}

}  // namespace

std::string PolicyRequest::text() const {
    SchedAttributes attributes;
    attributes.policy = policy;
    attributes.rt_priority = rt_priority;
    attributes.runtime_ns = static_cast<std::uint64_t>(runtime.count());
    attributes.deadline_ns = static_cast<std::uint64_t>(deadline.count());
    attributes.period_ns = static_cast<std::uint64_t>(period.count());
    return attributes.policy_text();
}

bool PolicyRequest::realtime() const {
    return policy == kSchedFifo || policy == kSchedRoundRobin;
}
bool PolicyRequest::is_deadline() const {
    return policy == kSchedDeadline;
}
bool PolicyRequest::weighted() const {
    return policy == kSchedOther || policy == kSchedBatch;
}

Result<PolicyRequest> parse_policy(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const bool plain = colon == std::string_view::npos;
    const std::string_view rest = plain ? std::string_view() : text.substr(colon + 1);
    PolicyRequest request;
    if (plain && (name == "other" || name == "batch" || name == "idle")) {
        request.policy = name == "other" ? kSchedOther : name == "batch" ? kSchedBatch : kSchedIdle;
        return request;
    }
    if (!plain && (name == "fifo" || name == "rr")) {
        const auto priority = parse_rt_priority(name, rest);
        if (!priority) {
            return priority.error();
        }
        request.policy = name == "fifo" ? kSchedFifo : kSchedRoundRobin;
        request.rt_priority = *priority;
        return request;
    }
    if (!plain && name == "deadline") {
        return parse_deadline(rest);
    }
    return bad("policy", fmt::format("'{}' is not one of {}", text, kPolicies));
}

Result<int> parse_nice(std::string_view text) {
    const bool negative = text.starts_with('-');
    const auto value = parse_integer(negative ? text.substr(1) : text, 0, negative ? 20 : 19);
    if (!value) {
        return bad("nice", fmt::format("'{}' is not a whole number of -20..19", text));
    }
    const int nice = static_cast<int>(*value);
    return negative ? -nice : nice;
}

Result<Duration> parse_slice(std::string_view text) {
    using namespace std::chrono_literals;
    const auto slice = parse_duration(text);
    if (!slice) {
        return bad("slice", slice.error().detail);
    }
    // The kernel would cut anything else to these bounds, in silence.
    if (*slice < Duration(100us) || *slice > Duration(100ms)) {
        return bad("slice", fmt::format("'{}' is outside 100us..100ms", text));
    }
    return *slice;
}

Result<UclampRequest> parse_uclamp(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos) {
        const auto min = parse_integer(text.substr(0, colon), 0, 1024);
        const auto max = parse_integer(text.substr(colon + 1), 0, 1024);
        if (min && max && *min <= *max) {
            return UclampRequest{static_cast<std::uint32_t>(*min),
                                 static_cast<std::uint32_t>(*max)};
        }
    }
    return bad(
        "uclamp",
        fmt::format("'{}' is not MIN:MAX with 0 <= MIN <= MAX <= 1024, e.g. 512:1024", text));
}

Result<Duration> parse_timer_slack(std::string_view text) {
    const auto slack = parse_duration(text);
    if (!slack) {
        return bad("timer slack", slack.error().detail);
    }
    // More is no slack any more: every sleep of a worker would last as long.
    if (*slack <= Duration::zero() || *slack > Duration(std::chrono::seconds(1))) {
        return bad("timer slack",
                   fmt::format("'{}' is outside 1ns..1s (0 would mean the default)", text));
    }
    return *slack;
}

Status check_settings(const WorkerSettings& settings) {
    if (!settings.policy) {
        return {};
    }
    const PolicyRequest& policy = *settings.policy;
    const auto refuse = [&](const char* option, const char* why) {
        return plain_error("", option, fmt::format("{} under --policy {}", why, policy.text()));
    };
    if (settings.nice && !policy.weighted()) {
        return refuse("--nice", "nice has no meaning");
    }
    if (settings.slice && (policy.realtime() || policy.is_deadline())) {
        return refuse("--slice", "a custom slice has no meaning");
    }
    if (settings.uclamp && policy.is_deadline()) {
        return refuse("--uclamp", "utilisation clamps have no meaning");
    }
    if (settings.timer_slack && (policy.realtime() || policy.is_deadline())) {
        return refuse("--timer-slack", "the kernel ignores timer slack");
    }
    return {};
}

}  // namespace bench
