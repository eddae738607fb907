#include "latt/workload.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "common/guest_pause.h"

namespace bench::latt {
namespace {

// Left uninitialised, as the classic's malloc: clearing it would be work that was not there.
std::unique_ptr<std::byte[]> allocate(std::size_t bytes) {
    return std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[bytes]);
}

Bytef* zlib_bytes(std::byte* bytes) {
    return reinterpret_cast<Bytef*>(bytes);
}

void fill_slice(ClassicRandom& random, std::span<std::byte> data) {
    while (!data.empty()) {
        const std::uint32_t word = random.next();
        const std::size_t size = std::min(sizeof word, data.size());
        std::memcpy(data.data(), &word, size);
        data = data.subspan(size);
    }
}

/// In one go, or under workloads_pause in small slices with a rest behind each.
int deflate_all(z_stream& stream, uInt bytes) {
    uInt left = bytes;
    while (workloads_pause && left > kBytesBetweenPauses) {
        stream.avail_in = kBytesBetweenPauses;
        left -= kBytesBetweenPauses;
        if (const int status = deflate(&stream, Z_NO_FLUSH); status != Z_OK) {
            return status;
        }
        cpu_pause();
    }
    stream.avail_in = left;
    return deflate(&stream, Z_FINISH);
}

}  // namespace

void fill_random(ClassicRandom& random, std::span<std::byte> data) {
    // Asked once a slice, and outside of guests once in all: this is timed.
    const std::size_t most = workloads_pause ? kBytesBetweenPauses : data.size();
    while (!data.empty()) {
        if (workloads_pause) {
            cpu_pause();
        }
        const std::size_t size = std::min(most, data.size());
        fill_slice(random, data.first(size));
        data = data.subspan(size);
    }
}

WorkResult compress_random(ClassicRandom& random, std::size_t bytes) {
    const auto input = allocate(bytes);
    if (!input) {
        return {Z_MEM_ERROR, 0};
    }
    fill_random(random, {input.get(), bytes});

    z_stream stream{};
    if (const int status = deflateInit(&stream, compression_level); status != Z_OK) {
        return {status, 0};
    }
    const std::size_t bound = deflateBound(&stream, bytes);
    const auto output = allocate(bound);
    if (!output) {
        deflateEnd(&stream);
        return {Z_MEM_ERROR, 0};
    }
    stream.next_in = zlib_bytes(input.get());
    stream.next_out = zlib_bytes(output.get());
    stream.avail_out = static_cast<uInt>(bound);
    const int status = deflate_all(stream, static_cast<uInt>(bytes));
    const std::size_t compressed = stream.total_out;
    const int end_status = deflateEnd(&stream);
    // Z_FINISH in one go ends the stream; anything else is output that did not fit.
    if (status != Z_STREAM_END) {
        return {status == Z_OK ? Z_BUF_ERROR : status, compressed};
    }
    return {end_status, compressed};
}

std::uint64_t work_memory(std::uint64_t bytes) {
    return bytes == 0 ? 0 : bytes + compressBound(bytes);
}

const char* zlib_status_text(int status) {
    switch (status) {
        case Z_OK:
            return "Z_OK";
        case Z_STREAM_ERROR:
            return "Z_STREAM_ERROR";
        case Z_DATA_ERROR:
            return "Z_DATA_ERROR";
        case Z_MEM_ERROR:
            return "Z_MEM_ERROR";
        case Z_BUF_ERROR:
            return "Z_BUF_ERROR";
        case Z_VERSION_ERROR:
            return "Z_VERSION_ERROR";
        default:
            return "an unknown zlib error";
    }
}

}  // namespace bench::latt
