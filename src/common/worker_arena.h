#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "common/futex.h"
#include "common/process_group.h"

namespace bench {

/// What the start barrier stands at.
enum class Go : std::uint32_t { wait, run, give_up };

/// The first failure of a worker before the start; texts are cut to fit.
struct WorkerFailure {
    std::uint32_t index = 0;
    int code = 0;
    std::array<char, 64> operation{};
    std::array<char, 256> object{};
    std::array<char, 512> detail{};
};

struct WorkerSlot {
    FutexWord ready = 0;
    FutexWord ended = 0;  ///< the body has returned
    pid_t tid = 0;
    int exit_value = 0;
    SchedAttributes sched;
    std::uint64_t timer_slack_ns = 0;
    WorkerAccounting accounting;
    std::uint32_t cpus_size = 0;  ///< bytes of the CPU list, which follows the slot
};

struct WorkerControl {
    FutexWord go = 0;
    FutexWord ready = 0;  ///< workers that wait at the barrier
    FutexWord ended = 0;  ///< workers whose body has returned
    FutexWord failed = 0;
    WorkerFailure failure;
};

/// The memory that parent and workers share: anonymous, so that it can't be left behind.
class WorkerArena {
  public:
    [[nodiscard]] static Result<WorkerArena> create(std::uint32_t count);

    [[nodiscard]] WorkerControl& control() const;
    [[nodiscard]] WorkerSlot& slot(std::uint32_t index) const;

    /// Worker's side. False when the CPU list doesn't fit.
    [[nodiscard]] bool store_readback(std::uint32_t index, const WorkerReadback& readback) const;
    [[nodiscard]] WorkerReadback load_readback(std::uint32_t index) const;

    /// Only the first failure is kept.
    void store_failure(std::uint32_t index, const Error& error) const;
    /// As an Error about worker `noun` N.
    [[nodiscard]] Error load_failure(std::string_view noun) const;

  private:
    struct Unmap {
        std::size_t size = 0;
        void operator()(char* memory) const;
    };
    WorkerArena(std::unique_ptr<char, Unmap> memory, std::size_t stride)
        : memory_(std::move(memory)), stride_(stride) {}
    [[nodiscard]] char* cpus_text(std::uint32_t index) const;

    std::unique_ptr<char, Unmap> memory_;
    std::size_t stride_;
};

}  // namespace bench
