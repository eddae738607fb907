#include "common/worker_arena.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace bench {
namespace {

constexpr std::size_t kCacheLine = 64;

constexpr std::size_t round_up(std::size_t size) {
    return (size + kCacheLine - 1) / kCacheLine * kCacheLine;
}

/// Bytes that any CPU list of this machine fits in: the worst is every other CPU, "0,2,4,...".
std::size_t cpus_capacity() {
    constexpr std::size_t kBytesPerCpu = 4;
    constexpr std::size_t kAtLeast = 256;
    const long cpus = ::sysconf(_SC_NPROCESSORS_CONF);
    return std::max(kAtLeast, static_cast<std::size_t>(std::max(cpus, 1L)) * kBytesPerCpu);
}

template <std::size_t N>
void store_text(std::array<char, N>& to, std::string_view from) {
    const std::size_t size = std::min(from.size(), N - 1);
    std::memcpy(to.data(), from.data(), size);
    to[size] = '\0';
}

}  // namespace

void WorkerArena::Unmap::operator()(char* memory) const {
    ::munmap(memory, size);
}

Result<WorkerArena> WorkerArena::create(std::uint32_t count) {
    const std::size_t stride = round_up(sizeof(WorkerSlot) + cpus_capacity());
    const std::size_t size = round_up(sizeof(WorkerControl)) + stride * count;
    void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return errno_error("mmap", "shared memory of the workers", fmt::format("{} bytes", size));
    }
    WorkerArena arena(std::unique_ptr<char, Unmap>(static_cast<char*>(memory), Unmap{size}),
                      stride);
    new (memory) WorkerControl;
    for (std::uint32_t index = 0; index < count; ++index) {
        new (&arena.slot(index)) WorkerSlot;
    }
    return arena;
}

WorkerControl& WorkerArena::control() const {
    return *reinterpret_cast<WorkerControl*>(memory_.get());
}

WorkerSlot& WorkerArena::slot(std::uint32_t index) const {
    char* at = memory_.get() + round_up(sizeof(WorkerControl)) + stride_ * index;
    return *reinterpret_cast<WorkerSlot*>(at);
}

char* WorkerArena::cpus_text(std::uint32_t index) const {
    return reinterpret_cast<char*>(&slot(index)) + sizeof(WorkerSlot);
}

bool WorkerArena::store_readback(std::uint32_t index, const WorkerReadback& readback) const {
    const std::string& cpus = readback.cpus_allowed;
    if (cpus.size() > stride_ - sizeof(WorkerSlot)) {
        return false;
    }
    WorkerSlot& own = slot(index);
    own.sched = readback.sched;
    own.timer_slack_ns = readback.timer_slack_ns;
    own.cpus_size = static_cast<std::uint32_t>(cpus.size());
    std::memcpy(cpus_text(index), cpus.data(), cpus.size());
    return true;
}

WorkerReadback WorkerArena::load_readback(std::uint32_t index) const {
    const WorkerSlot& own = slot(index);
    return WorkerReadback{own.sched, std::string(cpus_text(index), own.cpus_size),
                          own.timer_slack_ns};
}

void WorkerArena::store_failure(std::uint32_t index, const Error& error) const {
    constexpr std::uint32_t kClaimed = 1;
    constexpr std::uint32_t kWritten = 2;
    std::uint32_t none = 0;
    if (!control().failed.compare_exchange_strong(none, kClaimed)) {
        return;
    }
    WorkerFailure& failure = control().failure;
    failure.index = index;
    failure.code = error.code;
    store_text(failure.operation, error.operation);
    store_text(failure.object, error.object);
    store_text(failure.detail, error.detail);
    control().failed.store(kWritten, std::memory_order_release);
}

Error WorkerArena::load_failure(std::string_view noun) const {
    const WorkerFailure& failure = control().failure;
    const std::string_view object(failure.object.data());
    return Error{
        failure.code, failure.operation.data(),
        fmt::format("{}{}for {} {}", object, object.empty() ? "" : " ", noun, failure.index),
        failure.detail.data()};
}

}  // namespace bench
