#pragma once

#include <cstdint>
#include <filesystem>

#include "common/fd.h"
#include "common/result.h"

namespace bench {

/// A pipe for a command to print to, and the file that keeps the end of it: never more than `kept`
/// bytes, at least the last half of that. Neither a long output nor a full disk stops the command.
class CapturedOutput {
  public:
    /// Makes both; what the file held before counts as printed. An Error when it can't be opened.
    [[nodiscard]] static Result<CapturedOutput> create(std::filesystem::path file,
                                                       std::uint64_t kept);

    /// What the command gets. To be closed here once it runs, so that the end is seen.
    [[nodiscard]] int write_end() const { return write_end_.get(); }
    void close_write_end() { write_end_.reset(); }
    /// Readable when there is something to take; -1 after the end.
    [[nodiscard]] int read_end() const { return read_end_.get(); }

    /// Moves what has been printed so far, at most 64 KiB, into the file. Never waits; false when
    /// there was nothing.
    bool take();

  private:
    CapturedOutput(std::filesystem::path file, std::uint64_t kept)
        : file_(std::move(file)), kept_(kept) {}
    void store(const char* data, std::size_t size) const;

    std::filesystem::path file_;
    std::uint64_t kept_;
    Fd read_end_;
    Fd write_end_;
};

}  // namespace bench
