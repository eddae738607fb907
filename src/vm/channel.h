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
    /// The end marker, with the exit status of what the guest ran. Nothing may follow.
    void end(int exit_status);

  private:
    void put(std::uint32_t kind, std::string_view name, std::string_view data);

    std::span<volatile unsigned char> memory_;
    std::uint64_t at_;
    std::uint64_t beats_ = 0;
    std::uint32_t frames_ = 0;
};

struct ChannelContent {
    int exit_status = 0;
    std::vector<std::pair<std::string, std::string>> frames;  ///< name, bytes, in order
    /// The bytes of the frame with this name; nullptr when there is none.
    [[nodiscard]] const std::string* find(std::string_view name) const;
};

/// The host's end, once the guest is gone. Errors: no end marker, a damaged frame.
[[nodiscard]] Result<ChannelContent> read_channel(std::string_view memory);

/// How often the guest has told that it lives; 0: it has not come so far. `head` is the beginning
/// of the memory.
[[nodiscard]] std::uint64_t channel_beats(std::string_view head);
/// How many bytes of the beginning channel_beats() needs.
inline constexpr std::size_t kChannelHead = 32;

}  // namespace bench
