#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/result.h"

namespace bench {

/// What a guest hands to the host through memory that both see: a heartbeat, then frames of a name
/// and bytes with their CRC-32, an end marker last. Whoever finds no end marker has nothing.
namespace channel {

/// Big enough for the samples of any cell; the file behind it is sparse.
inline constexpr std::uint64_t kBytes = 64U << 20U;

}  // namespace channel

/// The guest's end. `memory` is zero at first and outlives the writer.
class ChannelWriter {
  public:
    explicit ChannelWriter(std::span<volatile unsigned char> memory);

    /// Tells the host that the guest lives: the count of calls.
    void beat();
    /// An Error when there is no room for it (then the frame is not there at all).
    [[nodiscard]] Status add(std::string_view name, std::string_view data);
    /// Tells the host that another cell is handed over whole, with all its frames.
    void cell_done();
    /// The end marker. Nothing may follow.
    void end();

  private:
    void put(std::uint32_t kind, std::string_view name, std::string_view data);

    std::span<volatile unsigned char> memory_;
    std::uint64_t at_;
    std::uint64_t beats_ = 0;
    std::uint64_t cells_ = 0;
    std::uint32_t frames_ = 0;
};

struct ChannelContent {
    std::vector<std::pair<std::string, std::string>> frames;  ///< name, bytes, in order
    std::string damage;  ///< why it ends before an end marker; empty: there is one
    /// The bytes of the frame with this name; nullptr when there is none.
    [[nodiscard]] const std::string* find(std::string_view name) const;
};

/// The host's end, once the guest is gone: every whole frame up to the end marker or the first
/// damage. What came before it counts: frames never change once they are there.
[[nodiscard]] ChannelContent read_channel(std::string_view memory);

/// What the beginning of the memory tells while the guest runs.
struct ChannelSigns {
    std::uint64_t beats = 0;  ///< how often the guest has told that it lives; 0: it has not come up
    std::uint64_t cells = 0;  ///< handed over so far
};
[[nodiscard]] ChannelSigns channel_signs(std::string_view head);
/// How many bytes of the beginning channel_signs() needs.
inline constexpr std::size_t kChannelHead = 32;

}  // namespace bench
