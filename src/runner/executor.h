#pragma once

#include <cstdint>
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
    std::int64_t repetition = 1;  ///< of its sweep, from 1
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
    /// Which boot it ran in, when boots are the executor's: guests that repeat themselves have the
    /// same boot_id every time. Cells with the same number shared one.
    std::optional<std::int64_t> boot = {};
    /// What the executor knows beside the cell's bundle.
    std::vector<std::string> taints = {};
    nlohmann::ordered_json details = {};  ///< members of the cell's entry in run.json, or null
};

/// Cells that wait for an executor, and are told how they fared.
class CellQueue {
  public:
    CellQueue() = default;
    virtual ~CellQueue() = default;
    CellQueue(const CellQueue&) = delete;
    CellQueue& operator=(const CellQueue&) = delete;

    [[nodiscard]] virtual std::size_t size() const = 0;
    [[nodiscard]] virtual CellRequest request(std::size_t index) const = 0;
    virtual void started(std::size_t index) = 0;
    /// Called about five times a second; false: stop.
    [[nodiscard]] virtual bool tick() = 0;
    /// Once for each cell that came to its end, in any order. An Error: it could not be started at
    /// all. False: no further cell is wanted.
    [[nodiscard]] virtual bool ended(std::size_t index, Result<CellExecution> execution) = 0;
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

    /// Runs all of them: one after the other, unless the place has a better way. False: it was
    /// stopped before the end.
    [[nodiscard]] virtual bool run_all(CellQueue& queue);
};

}  // namespace bench
