#include "massive_intr/workload.h"

#include <cerrno>
#include <ctime>

#include "massive_intr/busy_loop.h"

namespace bench::massive_intr {

void Machine::work(std::uint64_t loops) noexcept {
    count_loops(loops);
}

void Machine::sleep(Duration duration) noexcept {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
    timespec left{seconds.count(), (duration - seconds).count()};
    while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

std::size_t sample_room(Duration duration, Duration work, Duration sleep) {
    constexpr std::int64_t kSpare = 64;
    const std::int64_t undisturbed = duration / (work + sleep) + 1;
    const std::int64_t most = duration / sleep + 1;
    return static_cast<std::size_t>(std::min(2 * undisturbed + kSpare, most));
}

}  // namespace bench::massive_intr
