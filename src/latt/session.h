#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/process_group.h"
#include "common/random.h"
#include "common/shared_array.h"
#include "latt/options.h"
#include "latt/recording.h"
#include "latt/wake_channel.h"
#include "latt/workload.h"

namespace bench::latt {

/// A parent that wakes, and the clients it wakes: what `bench latt` and the classic program share.
///
/// The parent waits a random time, wakes every client, waits for all of them, and again. Neither
/// side does anything but the workload between two of its stamps.
class Session {
  public:
    struct Plan {
        Options options;
        std::uint32_t clients = 1;
        std::uint64_t seed = 1;
        WorkFunction work = compress_random;
        WorkerSettings settings = {};  ///< of the clients; the parent stays as it is
        /// Ends the run as a deadline would; tests and micro-benchmarks count rounds, not time.
        std::optional<std::uint64_t> max_rounds = std::nullopt;
    };

    /// Starts the clients and returns once each is ready to be woken. `stop` must outlive the
    /// session.
    [[nodiscard]] static Result<std::unique_ptr<Session>> start(const Plan& plan, StopSource& stop,
                                                                const SystemRoot& system);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();

    /// Lets the clients go and drives rounds until something stops them; says what. A round once
    /// begun is finished, save for a signal. An Error names the client that failed; what was
    /// recorded before stays.
    [[nodiscard]] Result<StopReason> run();

    /// Sends the clients home and waits for them, at most `timeout`; then their accounting is
    /// there.
    [[nodiscard]] Status finish(Duration timeout);

    [[nodiscard]] const Recording& recording() const { return recording_; }
    /// Valid after start().
    [[nodiscard]] const WorkerGroup& clients() const { return *group_; }
    [[nodiscard]] WorkerGroup& clients() { return *group_; }
    /// One entry a client after a successful finish(), else none.
    [[nodiscard]] std::vector<WorkerAccounting> accounting() const;

    /// Client `index` draws its data from derive_seed(seed, index + 1), cut to 32 bits; the waits
    /// are drawn from derive_seed(seed, 0).
    [[nodiscard]] static std::uint32_t client_seed(std::uint64_t seed, std::uint32_t index);

  private:
    Session(const Plan& plan, StopSource& stop);
    [[nodiscard]] int client_main(std::uint32_t index) noexcept;
    /// One round; `none` when it was finished.
    [[nodiscard]] Result<StopReason> round(const RoundStart& start);
    [[nodiscard]] Result<StopReason> await_reply(std::uint32_t client);
    [[nodiscard]] Error lost(std::uint32_t client);

    Plan plan_;
    StopSource& stop_;
    Recording recording_;
    SharedArray<ClientSlot> slots_;
    std::unique_ptr<WakeChannel> channel_;
    std::optional<WorkerGroup> group_;
    bool finished_ = false;
};

/// SIGPIPE ignored while it lives: a wake of a dead client is an error to report, not our death.
class IgnoreSigpipe {
  public:
    IgnoreSigpipe();
    ~IgnoreSigpipe();
    IgnoreSigpipe(const IgnoreSigpipe&) = delete;
    IgnoreSigpipe& operator=(const IgnoreSigpipe&) = delete;

  private:
    void (*previous_)(int);
};

}  // namespace bench::latt
