#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bench::latt {

/// The generator of the clients' data: the example of POSIX's rand(3), 15 bits a draw.
class ClassicRandom {
  public:
    explicit ClassicRandom(std::uint32_t seed) : state_(seed) {}

    /// 0..32767.
    std::uint32_t next() {
        state_ = state_ * 1103515245U + 12345U;
        return (state_ >> 16U) & 0x7fffU;
    }

  private:
    std::uint32_t state_;
};

/// The level of the classic's deflate.
inline constexpr int compression_level = 7;

/// Fills `data` with draws in 32-bit words; a rest of up to three bytes gets the first bytes of one
/// more draw.
void fill_random(ClassicRandom& random, std::span<std::byte> data);

/// How one piece of work went.
struct WorkResult {
    int status = 0;              ///< Z_OK (0), else zlib's error
    std::size_t compressed = 0;  ///< bytes that came out
};

/// What a client does once it is awake: fills a buffer of `bytes` and deflates it in one go. It
/// allocates and frees its buffers itself, as the classic's timed part did, so that figures stay
/// comparable. `bytes` 1..1 GiB.
[[nodiscard]] WorkResult compress_random(ClassicRandom& random, std::size_t bytes);

/// A stand-in has this shape: tests inject failing clients.
using WorkFunction = WorkResult (*)(ClassicRandom& random, std::size_t bytes);

/// A lower bound of the memory one client at work touches: its two buffers.
[[nodiscard]] std::uint64_t work_memory(std::uint64_t bytes);

/// "Z_MEM_ERROR" and so on; "an unknown zlib error" for one without a name.
[[nodiscard]] const char* zlib_status_text(int status);

}  // namespace bench::latt
