#include "massive_intr/busy_loop.h"

namespace bench::massive_intr {

[[gnu::noinline]] void count_loops(std::uint64_t loops) noexcept {
    while (loops != 0) {
        // For all the compiler knows this changes the counter: each turn has to be made.
        asm volatile("" : "+r"(loops));
        --loops;
    }
}

}  // namespace bench::massive_intr
