#pragma once

#include <cstdint>
#include <functional>

#include "common/clock.h"
#include "common/result.h"
#include "common/stop_source.h"

namespace bench::massive_intr {

/// How many loops make a millisecond of CPU time, and how sure that is.
struct Calibration {
    std::int64_t loops_per_ms = 0;
    bool given = false;        ///< by --loops-per-ms; the rest is then without meaning
    std::uint32_t rounds = 0;  ///< until it settled
    double spread = 0;         ///< of the rounds that agreed: fastest / slowest - 1
    int cpu = -1;              ///< where it was pinned; -1: it could not be
};

/// What a calibration runs on: the machine, or a fake one in tests.
struct CalibrationMachine {
    std::function<TimePoint()> now;
    std::function<void(std::uint64_t)> count;  ///< count_loops()
    std::function<void()> rest;                ///< between rounds, as the workload rests
    std::function<bool()> stopped;             ///< true: give up
};

/// A stretch that is timed: long against a reading of the clock, short against a time slice, so
/// that some pass undisturbed however busy the CPU is.
inline constexpr Duration calibration_chunk = std::chrono::microseconds(500);
inline constexpr int chunks_per_round = 30;
/// The best chunks of so many rounds in a row must agree within this share.
inline constexpr std::uint32_t agreeing_rounds = 3;
inline constexpr double calibration_tolerance = 0.01;
/// A clock that has to speed up first gets this long ...
inline constexpr Duration calibration_warmup = std::chrono::milliseconds(200);
/// ... and one that never settles is given up after this.
inline constexpr Duration calibration_patience = std::chrono::seconds(8);

/// Takes rounds until the last few agree; the fastest chunk of them counts, for a disturbance only
/// ever makes one slower. An Error: it did not settle, or was stopped.
[[nodiscard]] Result<Calibration> calibrate(const CalibrationMachine& machine);

/// The same on the CPU the caller happens to run on; it is kept there meanwhile and has its mask
/// back afterwards. A signal taken by `stop` ends it.
[[nodiscard]] Result<Calibration> calibrate_here(StopSource& stop);

}  // namespace bench::massive_intr
