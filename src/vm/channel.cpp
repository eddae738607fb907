#include "vm/channel.h"

#include <fmt/format.h>

#define ZLIB_CONST
#include <zlib.h>

#include <cstring>

namespace bench {
namespace {

// All numbers are little-endian, as on the one machine that both ends are (x86).
constexpr std::string_view kMagic = "bench-channel-1\n";
constexpr std::uint32_t kFrameMagic = 0x6d617266;
constexpr std::uint32_t kData = 1;
constexpr std::uint32_t kEnd = 2;

struct FrameHead {
    std::uint32_t magic = 0;
    std::uint32_t kind = 0;
    std::uint32_t name_size = 0;
    std::uint32_t crc = 0;  ///< of name and data
    std::uint64_t data_size = 0;
};
/// What the end marker holds.
struct EndData {
    std::uint32_t frames = 0;
    std::uint32_t reserved = 0;
};
constexpr std::uint64_t kEndRoom = sizeof(FrameHead) + sizeof(EndData);

std::uint64_t aligned(std::uint64_t size) {
    return (size + 7) / 8 * 8;
}

std::uint32_t checksum(std::string_view name, std::string_view data) {
    uLong crc = ::crc32(0, nullptr, 0);
    for (const std::string_view part : {name, data}) {
        crc = ::crc32_z(crc, reinterpret_cast<const Bytef*>(part.data()), part.size());
    }
    return static_cast<std::uint32_t>(crc);
}

void copy_out(volatile unsigned char* to, const void* from, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(from);
    std::size_t at = 0;
    // By words: each store to a device's memory costs the same.
    for (; at + 8 <= size; at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes + at, 8);
        *reinterpret_cast<volatile std::uint64_t*>(to + at) = word;
    }
    for (; at < size; ++at) {
        to[at] = bytes[at];
    }
}

template <class T>
T value_at(std::string_view memory, std::uint64_t at) {
    T value{};
    std::memcpy(&value, memory.data() + at, sizeof value);
    return value;
}

}  // namespace

ChannelWriter::ChannelWriter(std::span<volatile unsigned char> memory)
    : memory_(memory), at_(kChannelHead) {
    copy_out(memory_.data(), kMagic.data(), kMagic.size());
}

void ChannelWriter::beat() {
    ++beats_;
    copy_out(memory_.data() + kMagic.size(), &beats_, sizeof beats_);
}

void ChannelWriter::cell_done() {
    ++cells_;
    copy_out(memory_.data() + kMagic.size() + sizeof beats_, &cells_, sizeof cells_);
}

void ChannelWriter::put(std::uint32_t kind, std::string_view name, std::string_view data) {
    const FrameHead head = {kFrameMagic, kind, static_cast<std::uint32_t>(name.size()),
                            checksum(name, data), data.size()};
    // Names are padded apart from the data, so that both are copied by words.
    volatile unsigned char* to = memory_.data() + at_;
    copy_out(to + sizeof head, name.data(), name.size());
    copy_out(to + sizeof head + aligned(name.size()), data.data(), data.size());
    // The head comes last: the compiler keeps volatile stores in order, and so does x86.
    copy_out(to, &head, sizeof head);
    at_ += sizeof head + aligned(name.size()) + aligned(data.size());
}

Status ChannelWriter::add(std::string_view name, std::string_view data) {
    const std::uint64_t size = sizeof(FrameHead) + aligned(name.size()) + aligned(data.size());
    const std::uint64_t room = memory_.size() - at_ - kEndRoom;
    if (size > room) {
        return plain_error("hand over", std::string(name),
                           fmt::format("{} bytes, and there is room for {}", size, room));
    }
    put(kData, name, data);
    ++frames_;
    return {};
}

void ChannelWriter::end() {
    const EndData data = {frames_, 0};
    put(kEnd, "", {reinterpret_cast<const char*>(&data), sizeof data});
}

const std::string* ChannelContent::find(std::string_view name) const {
    for (const auto& [frame, bytes] : frames) {
        if (frame == name) {
            return &bytes;
        }
    }
    return nullptr;
}

ChannelContent read_channel(std::string_view memory) {
    ChannelContent content;
    const auto damaged = [&content](std::uint64_t at, std::string_view what) {
        content.damage = fmt::format("at byte {}: {}", at, what);
        return content;
    };
    if (!memory.starts_with(kMagic)) {
        return damaged(0, "nothing was written");
    }
    std::uint64_t at = kChannelHead;
    while (at + kEndRoom <= memory.size()) {
        const auto head = value_at<FrameHead>(memory, at);
        if (head.magic != kFrameMagic) {
            break;
        }
        const std::uint64_t left = memory.size() - at - sizeof head;
        if (head.name_size > left || head.data_size > left ||
            aligned(head.name_size) + aligned(head.data_size) > left) {
            return damaged(at, "a frame that is longer than the memory");
        }
        const std::uint64_t name_at = at + sizeof head;
        const std::uint64_t data_at = name_at + aligned(head.name_size);
        const std::string_view name = memory.substr(name_at, head.name_size);
        const std::string_view data = memory.substr(data_at, head.data_size);
        if (checksum(name, data) != head.crc) {
            return damaged(at, "a frame whose CRC-32 is wrong");
        }
        if (head.kind == kEnd && data.size() == sizeof(EndData)) {
            if (value_at<EndData>(data, 0).frames != content.frames.size()) {
                return damaged(at, "frames are missing");
            }
            return content;
        }
        content.frames.emplace_back(name, data);
        at = data_at + aligned(head.data_size);
    }
    return damaged(at, "there is no end marker");
}

ChannelSigns channel_signs(std::string_view head) {
    if (head.size() < kChannelHead || !head.starts_with(kMagic)) {
        return {};
    }
    return {value_at<std::uint64_t>(head, kMagic.size()),
            value_at<std::uint64_t>(head, kMagic.size() + 8)};
}

}  // namespace bench
