#include "runner/executor.h"

namespace bench {

bool Executor::run_all(CellQueue& queue) {
    for (std::size_t i = 0; i < queue.size(); ++i) {
        queue.started(i);
        auto execution = run(queue.request(i), [&queue] { return queue.tick(); });
        const bool interrupted = execution && execution->conduct == CellConduct::interrupted;
        if (interrupted || !queue.ended(i, std::move(execution))) {
            return false;
        }
    }
    return true;
}

}  // namespace bench
