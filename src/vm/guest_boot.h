#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/affinity.h"
#include "common/guardian.h"
#include "runner/executor.h"
#include "vm/boot_outcome.h"
#include "vm/channel.h"
#include "vm/kernel_file.h"
#include "vm/qemu_command.h"

namespace bench {

/// What a guest shall do.
struct GuestTask {
    const KernelFile* kernel = nullptr;
    GuestMachine machine;
    std::vector<std::vector<std::string>> cells;  ///< arguments of `bench`, see GuestOrders
    Duration boot_timeout{};                      ///< until its first process lives
    Duration cell_timeout{};                      ///< of each cell
};

/// What is left of a guest.
struct GuestRemains {
    CellConduct conduct = CellConduct::finished;  ///< of the guest as a whole
    GuestEnd end = GuestEnd::ended;
    ChannelContent content;
    std::uint64_t beats = 0;
    std::string console, emulator_output, exit_text;
    std::string image_sha256;
};

/// One guest under way: QEMU under a guardian of its own, on `cpus`.
class GuestBoot {
  public:
    /// `folder` must not exist; it goes with this object. `init_image` is the first member of the
    /// image. `keeper` guards the folder when we are killed.
    [[nodiscard]] static Result<std::unique_ptr<GuestBoot>> start(
        GuestTask task, const std::filesystem::path& qemu, const std::string& init_image,
        const std::filesystem::path& folder, const CpuSet& cpus, const Guardian& keeper);
    ~GuestBoot();
    GuestBoot(const GuestBoot&) = delete;
    GuestBoot& operator=(const GuestBoot&) = delete;

    [[nodiscard]] int event_fd() const { return guardian_->event_fd(); }
    /// Looks after it; true once it is over, also because its time was up.
    [[nodiscard]] bool over();
    /// When over() may have something to say without an event.
    [[nodiscard]] TimePoint give_up() const { return give_up_; }
    /// Cells that are handed over so far.
    [[nodiscard]] std::uint64_t cells_done() const { return signs_.cells; }
    /// Kills what is left of it. An Error: it can't be told how it ended.
    [[nodiscard]] Result<GuestRemains> finish();

    [[nodiscard]] const GuestTask& task() const { return task_; }

  private:
    GuestBoot(GuestTask task, std::filesystem::path folder)
        : task_(std::move(task)), folder_(std::move(folder)) {}
    [[nodiscard]] Status prepare(const std::string& init_image);

    GuestTask task_;
    std::filesystem::path folder_, emulator_output_;
    BootFiles files_;
    Fd channel_;
    std::optional<Guardian> guardian_;
    ChannelSigns signs_;
    TimePoint last_sign_, cell_began_, give_up_;
    GuestRemains remains_;
};

/// How long a guest rests before its first cell, and between two. In virtual time that costs next
/// to nothing.
[[nodiscard]] std::int64_t settle_ms(GuestTime time);

}  // namespace bench
