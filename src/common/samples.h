#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

#include "common/metric.h"
#include "common/result.h"

namespace bench {

/// The header line of samples.csv.gz, with its line feed.
[[nodiscard]] std::string_view samples_header();

using TextSink = std::function<Status(std::string_view)>;

/// Hands the rows of `series` to `sink` in blocks of bounded size, without an allocation per row;
/// stops at the sink's first Error. Values in "ns" are rounded to whole nanoseconds.
[[nodiscard]] Status format_samples(std::int64_t cell, const Series& series, const TextSink& sink);

/// Writes the rows of several series as one gzip member and gives back its compressed bytes; `path`
/// is for Errors.
[[nodiscard]] Result<std::uint64_t> write_samples(int fd, const std::filesystem::path& path,
                                                  std::int64_t cell, std::span<const Series> all);

}  // namespace bench
