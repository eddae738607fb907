#include "massive_intr/calibration.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <optional>
#include <vector>

#include "common/affinity.h"
#include "massive_intr/busy_loop.h"

namespace bench::massive_intr {
namespace {

// Loops per nanosecond. A rate, never a whole number of nanoseconds per loop: those are fractions.
using Rate = double;

Error calibration_error(std::string detail) {
    return plain_error("calibrate", "the work loop", std::move(detail));
}

class Calibrator {
  public:
    explicit Calibrator(const CalibrationMachine& machine)
        : machine_(machine), begin_(machine.now()) {}

    Result<Calibration> run() {
        const auto first = first_rate();
        if (!first) {
            return first.error();
        }
        Rate expected = *first;
        while (!settled()) {
            const auto best = round(expected);
            if (!best) {
                return best.error();
            }
            rates_.push_back(*best);
            expected = *best;
            machine_.rest();
        }
        Calibration result;
        result.loops_per_ms = std::max<std::int64_t>(std::llround(recent_best() * 1e6), 1);
        result.rounds = static_cast<std::uint32_t>(rates_.size());
        result.spread = *spread();
        return result;
    }

  private:
    [[nodiscard]] Duration elapsed() const { return machine_.now() - begin_; }

    Rate measure(std::uint64_t loops) {
        const TimePoint from = machine_.now();
        machine_.count(loops);
        const TimePoint to = machine_.now();
        // A clock that stood still says nothing; a rate of 0 is never the best.
        return to > from ? static_cast<double>(loops) / static_cast<double>((to - from).count())
                         : 0.0;
    }

    // From few loops to enough of them. A disturbed try looks slow and makes the first chunks
    // short; each round then goes by what the last one found.
    Result<Rate> first_rate() {
        constexpr std::uint64_t kMostLoops = std::uint64_t{1} << 40U;
        constexpr int kTries = 3;
        for (std::uint64_t loops = 1024; loops <= kMostLoops; loops *= 2) {
            Rate best = 0;
            for (int i = 0; i < kTries; ++i) {
                if (auto over = check_over()) {
                    return *over;
                }
                best = std::max(best, measure(loops));
            }
            const auto chunk_ns = static_cast<double>(calibration_chunk.count());
            if (best > 0 && static_cast<double>(loops) >= best * chunk_ns / 4) {
                return best;
            }
        }
        return calibration_error("the clock does not move");
    }

    Result<Rate> round(Rate expected) {
        const auto chunk_ns = static_cast<double>(calibration_chunk.count());
        const auto loops = static_cast<std::uint64_t>(std::max(expected * chunk_ns, 1.0));
        Rate best = 0;
        for (int i = 0; i < chunks_per_round; ++i) {
            if (auto over = check_over()) {
                return *over;
            }
            best = std::max(best, measure(loops));
        }
        return best;
    }

    [[nodiscard]] std::optional<Error> check_over() const {
        if (machine_.stopped()) {
            return calibration_error("stopped by a signal");
        }
        if (elapsed() < calibration_patience) {
            return std::nullopt;
        }
        const auto differ = spread();
        return calibration_error(fmt::format(
            "the CPU's speed did not settle within {}: {}; quiet the machine, or fix its clock",
            format_duration(calibration_patience),
            differ ? fmt::format("the last {} of {} rounds still differ by {:.1f} %",
                                 agreeing_rounds, rates_.size(), *differ * 100)
                   : fmt::format("only {} rounds were done", rates_.size())));
    }

    [[nodiscard]] Rate recent_best() const {
        return *std::max_element(rates_.end() - agreeing_rounds, rates_.end());
    }

    [[nodiscard]] std::optional<double> spread() const {
        if (rates_.size() < agreeing_rounds) {
            return std::nullopt;
        }
        return recent_best() / *std::min_element(rates_.end() - agreeing_rounds, rates_.end()) - 1;
    }

    [[nodiscard]] bool settled() const {
        const auto differ = spread();
        return differ && *differ <= calibration_tolerance && elapsed() >= calibration_warmup;
    }

    const CalibrationMachine& machine_;
    TimePoint begin_;
    std::vector<Rate> rates_;  // the best of each round
};

void rest_a_millisecond() {
    const timespec millisecond{0, 1'000'000};
    ::nanosleep(&millisecond, nullptr);
}

}  // namespace

Result<Calibration> calibrate(const CalibrationMachine& machine) {
    return Calibrator(machine).run();
}

Result<Calibration> calibrate_here(StopSource& stop) {
    const auto mask = get_affinity();
    if (!mask) {
        return mask.error();
    }
    const int cpu = ::sched_getcpu();
    if (cpu < 0) {
        return errno_error("sched_getcpu");
    }
    // A deadline task may not be pinned (EBUSY): the best of many chunks has to do without.
    const Status pinned = set_affinity(CpuSet({cpu}));
    if (!pinned && pinned.error().code != EBUSY) {
        return pinned.error();
    }
    auto result = calibrate({.now = MonotonicClock::now,
                             .count = count_loops,
                             .rest = rest_a_millisecond,
                             .stopped = [&stop] { return stop.check() == StopReason::signal; }});
    // Workers inherit the mask: without it back the cell would be another one.
    if (pinned) {
        if (Status freed = set_affinity(*mask); !freed) {
            return freed.error();
        }
    }
    if (result && pinned) {
        result->cpu = cpu;
    }
    return result;
}

}  // namespace bench::massive_intr
