#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "common/result.h"
#include "common/units.h"

namespace bench {

/// One cell for an executor: arguments in, bundle out.
struct CellRequest {
    std::vector<std::string> arguments;  ///< of `bench`, from "exec" on, without --bundle
    std::filesystem::path bundle;        ///< where the cell's bundle shall be; does not exist yet
    Duration timeout{};                  ///< after which the cell is given up
};

enum class CellConduct {
    finished,
    timed_out,
    interrupted,
    lost,  ///< what watched over the cell was killed, and the cell with it
};

struct CellExecution {
    CellConduct conduct = CellConduct::finished;
    int exit_code = 0;        ///< of `bench exec`; 128 + signal when it was killed
    std::string output_tail;  ///< last lines it printed, for a cell that left no bundle
};

/// Runs cells somewhere: here, in a guest, on a cluster. A test never knows where.
class Executor {
  public:
    Executor() = default;
    virtual ~Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    /// Called about five times a second while a cell runs; returns false to have it stopped.
    using Tick = std::function<bool()>;

    /// Runs the cell to its end. An Error: it could not be started at all.
    [[nodiscard]] virtual Result<CellExecution> run(const CellRequest& request,
                                                    const Tick& tick) = 0;
};

}  // namespace bench
