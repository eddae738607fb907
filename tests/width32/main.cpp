// Built as 32-bit code: durations beyond 32 bits of nanoseconds or microseconds must come out
// whole.
#include <cstdio>
#include <string>

#include "common/clock.h"
#include "common/csv.h"
#include "common/statistics.h"
#include "common/units.h"
#include "latt/series.h"

namespace {

int failures = 0;

void expect(const std::string& got, const std::string& wanted, const char* what) {
    if (got != wanted) {
        std::printf("%s: got %s, wanted %s\n", what, got.c_str(), wanted.c_str());
        ++failures;
    }
}

}  // namespace

int main() {
    using namespace bench;
    static_assert(sizeof(void*) == 4);

    latt::Recording recording;
    recording.rounds.push_back({0, 0});
    recording.samples.push_back({0, 1'000, 5'000'001'000, 7'400'001'000'000});
    const auto figures = latt::make_figures(recording, latt::Options{}, {});
    for (const Series& series : figures.series) {
        if (series.metric.name == "wakeup") {
            const Summary summary = summarise(series.values);
            expect(csv_number(*summary.max), "5000000000", "a wake-up after five seconds");
            expect(format_duration_human(Duration(static_cast<Duration::rep>(*summary.max))),
                   "5.000 s", "the same for people");
        }
        if (series.metric.name == "work") {
            expect(csv_number(*summarise(series.values).max), "7395000999000", "two hours of work");
        }
    }
    expect(figures.series.empty() ? "none" : "some", "some", "series");
    expect(std::to_string(parse_duration("2400000000us")->count()), "2400000000000",
           "2,400,000,000 us");
    expect(format_duration(*parse_duration("2400000000us")), "2400s", "2,400,000,000 us");

    const TimePoint before = MonotonicClock::now();
    const Duration step = MonotonicClock::now() - before;
    expect(step >= Duration(0) && step < std::chrono::seconds(60) ? "sound" : "not", "sound",
           "two readings of the clock");
    return failures == 0 ? 0 : 1;
}
