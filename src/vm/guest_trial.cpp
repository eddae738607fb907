#include "vm/guest_trial.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>

#include "common/fd.h"
#include "vm/guest_system.h"

namespace bench {
namespace {

/// 0: not asked for, or no number.
long asked(const char* name) {
    const char* text = std::getenv(name);
    return text == nullptr ? 0 : std::strtol(text, nullptr, 10);
}

[[noreturn]] void make_noise(std::chrono::milliseconds period) {
    // Else the kernel drops most of what comes that fast.
    const Fd unlimited(::open("/proc/sys/kernel/printk_devkmsg", O_WRONLY | O_CLOEXEC));
    (void)!::write(unlimited.get(), "on\n", 3);
    while (true) {
        guest_says("noise for a trial, as loud as an error");
        std::this_thread::sleep_for(period);
    }
}

}  // namespace

GuestTrial::GuestTrial() : clock_step_(std::chrono::seconds(asked("BENCH_TRIAL_CLOCK"))) {
    if (const long period_ms = asked("BENCH_TRIAL_NOISE"); period_ms > 0) {
        std::thread(make_noise, std::chrono::milliseconds(period_ms)).detach();
    }
}

void GuestTrial::beat(Duration since_cell) const {
    // The beat before the second one falls into each cell that is longer than a second.
    if (clock_step_ == Duration(0) || since_cell < std::chrono::milliseconds(500) ||
        since_cell >= std::chrono::milliseconds(1500)) {
        return;
    }
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    now.tv_sec += std::chrono::duration_cast<std::chrono::seconds>(clock_step_).count();
    if (::clock_settime(CLOCK_REALTIME, &now) == 0) {
        guest_says("the clock was set for a trial");
    }
}

}  // namespace bench
