#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/result.h"
#include "common/units.h"

namespace bench {

/// One cell for an executor: arguments in, bundle out.
struct CellRequest {
    std::vector<std::string> arguments;  ///< of `bench`, from "exec" on, without --bundle
    std::filesystem::path bundle;        ///< where the cell's bundle shall be; does not exist yet
    Duration timeout{};                  ///< after which the cell is given up
    /// Where it shall run, as option, value ("--kernel"): the executor's business, not the cell's.
    std::vector<std::pair<std::string, std::string>> place = {};
};

enum class CellConduct {
    finished,
    timed_out,
    interrupted,
    lost,       ///< what watched over the cell was killed, and the cell with it
    never_ran,  ///< the place where it should run did not come up: see reason
    broke,      ///< the place where it ran broke down under it: see reason
};

struct CellExecution {
    CellConduct conduct = CellConduct::finished;
    int exit_code = 0;        ///< of `bench exec`; 128 + signal when it was killed
    std::string output_tail;  ///< last lines it printed, for a cell that left no bundle
    std::string reason = {};  ///< of never_ran and broke
    /// Number of the boot it ran in, when each boot is the executor's: guests that repeat
    /// themselves have the same boot_id every time.
    std::optional<std::int64_t> boot = {};
    /// What the executor knows beside the cell's bundle.
    std::vector<std::string> taints = {};
    nlohmann::ordered_json details = {};  ///< members of the cell's entry in run.json, or null
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
