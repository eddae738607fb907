#pragma once

#define ZLIB_CONST  // inputs are const
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"

namespace bench {

/// Streams one gzip member to a descriptor through buffers of fixed size. The fast level: samples
/// are written between two cells.
class GzipWriter {
  public:
    /// `fd` is not owned; `path` is for Errors.
    GzipWriter(int fd, std::filesystem::path path);
    ~GzipWriter();
    GzipWriter(const GzipWriter&) = delete;
    GzipWriter& operator=(const GzipWriter&) = delete;

    [[nodiscard]] Status append(std::string_view text);
    /// Ends the member; nothing may be appended after.
    [[nodiscard]] Status finish();
    /// Compressed bytes written so far.
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  private:
    [[nodiscard]] Status run(int flush);

    int fd_;
    std::filesystem::path path_;
    z_stream stream_{};
    std::vector<unsigned char> buffer_;
    std::uint64_t bytes_ = 0;
};

/// One member by itself.
[[nodiscard]] std::string gzip_member(std::string_view text);

/// What the first member holds and how many compressed bytes it has. Errors: not gzip, damaged,
/// or cut short.
struct FirstMember {
    std::string text;
    std::size_t size = 0;
};
[[nodiscard]] Result<FirstMember> first_gzip_member(std::string_view data);

/// The text of all members one after another.
[[nodiscard]] Result<std::string> gunzip(std::string_view data);

}  // namespace bench
