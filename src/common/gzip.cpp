#include "common/gzip.h"

#include <algorithm>
#include <array>
#include <limits>

#include "common/file.h"

namespace bench {

namespace {

constexpr std::size_t kBufferSize = 1U << 18U;
constexpr int kGzipWindow = 15 + 16;  // zlib: the largest window, in a gzip frame

const unsigned char* input_pointer(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

void start_deflate(z_stream& stream) {
    constexpr int kDefaultMemory = 8;
    const int code = deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, kDefaultMemory,
                                  Z_DEFAULT_STRATEGY);
    if (code != Z_OK) {
        throw std::bad_alloc();  // the only cause left: the parameters are constants
    }
}

/// Takes one member off `data` and adds its text to `text`; returns the member's size.
Result<std::size_t> inflate_member(std::string_view data, std::string& text) {
    z_stream stream{};
    if (inflateInit2(&stream, kGzipWindow) != Z_OK) {
        throw std::bad_alloc();
    }
    std::vector<unsigned char> buffer(kBufferSize);
    std::size_t used = 0;
    int code = Z_OK;
    while (code == Z_OK) {
        const std::size_t take =
            std::min<std::size_t>(data.size() - used, std::numeric_limits<uInt>::max());
        stream.next_in = input_pointer(data.substr(used));
        stream.avail_in = static_cast<uInt>(take);
        stream.next_out = buffer.data();
        stream.avail_out = static_cast<uInt>(buffer.size());
        code = inflate(&stream, Z_NO_FLUSH);
        used += take - stream.avail_in;
        text.append(reinterpret_cast<const char*>(buffer.data()), buffer.size() - stream.avail_out);
    }
    inflateEnd(&stream);
    if (code == Z_STREAM_END) {
        return used;
    }
    return plain_error(
        "inflate", {},
        code == Z_BUF_ERROR ? "the gzip data is cut short" : "the gzip data is damaged");
}

}  // namespace

GzipWriter::GzipWriter(int fd, std::filesystem::path path)
    : fd_(fd), path_(std::move(path)), buffer_(kBufferSize) {
    start_deflate(stream_);
}

GzipWriter::~GzipWriter() {
    deflateEnd(&stream_);
}

Status GzipWriter::run(int flush) {
    do {
        stream_.next_out = buffer_.data();
        stream_.avail_out = static_cast<uInt>(buffer_.size());
        deflate(&stream_, flush);
        const std::size_t made = buffer_.size() - stream_.avail_out;
        Status written =
            write_text(fd_, {reinterpret_cast<const char*>(buffer_.data()), made}, path_);
        if (!written) {
            return written;
        }
        bytes_ += made;
    } while (stream_.avail_out == 0);
    return {};
}

Status GzipWriter::append(std::string_view text) {
    while (!text.empty()) {
        const std::size_t take =
            std::min<std::size_t>(text.size(), std::numeric_limits<uInt>::max());
        stream_.next_in = input_pointer(text);
        stream_.avail_in = static_cast<uInt>(take);
        text.remove_prefix(take);
        Status done = run(Z_NO_FLUSH);
        if (!done) {
            return done;
        }
    }
    return {};
}

Status GzipWriter::finish() {
    return run(Z_FINISH);
}

std::string gzip_member(std::string_view text) {
    z_stream stream{};
    start_deflate(stream);
    std::string member(deflateBound(&stream, text.size()), '\0');
    stream.next_in = input_pointer(text);
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<unsigned char*>(member.data());
    stream.avail_out = static_cast<uInt>(member.size());
    deflate(&stream, Z_FINISH);
    member.resize(member.size() - stream.avail_out);
    deflateEnd(&stream);
    return member;
}

Result<FirstMember> first_gzip_member(std::string_view data) {
    FirstMember member;
    Result<std::size_t> size = inflate_member(data, member.text);
    if (!size) {
        return size.error();
    }
    member.size = *size;
    return member;
}

Result<std::string> gunzip(std::string_view data) {
    std::string text;
    while (!data.empty()) {
        Result<std::size_t> size = inflate_member(data, text);
        if (!size) {
            return size.error();
        }
        data.remove_prefix(*size);
    }
    return text;
}

}  // namespace bench
