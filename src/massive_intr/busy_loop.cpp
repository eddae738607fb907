#include "massive_intr/busy_loop.h"

#include "common/guest_pause.h"

namespace bench::massive_intr {

namespace {

/// The same loops with a rest after each stretch.
[[gnu::noinline]] void count_with_pauses(std::uint64_t loops) noexcept {
    while (loops != 0) {
        asm volatile("" : "+r"(loops));
        --loops;
        if (loops % kTurnsBetweenPauses == 0) {
            cpu_pause();
        }
    }
}

}  // namespace

[[gnu::noinline]] void count_loops(std::uint64_t loops) noexcept {
    if (workloads_pause) {
        count_with_pauses(loops);
        return;
    }
    while (loops != 0) {
        // For all the compiler knows this changes the counter: each turn has to be made.
        asm volatile("" : "+r"(loops));
        --loops;
    }
}

}  // namespace bench::massive_intr
