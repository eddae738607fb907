#include "common/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "common/csv.h"
#include "common/gzip.h"

namespace bench {

namespace {

constexpr std::size_t kBlockSize = 1U << 18U;
constexpr std::size_t kIntegerSize = 20;

template <class Integer>
char* write_integer(char* out, Integer value) {
    return std::to_chars(out, out + kIntegerSize, value).ptr;
}

}  // namespace

std::string_view samples_header() {
    return "cell,metric,subject,client,at_ns,value\n";
}

Status format_samples(std::int64_t cell, const Series& series, const TextSink& sink) {
    const std::string prefix = fmt::format("{},{},{},", cell, csv_text_field(series.metric.name),
                                           csv_text_field(series.subject));
    const std::size_t row_size = prefix.size() + 2 * kIntegerSize + kCsvNumberSize + 3;
    const bool whole = series.metric.unit == "ns";
    std::string block(kBlockSize + row_size, '\0');
    char* const begin = block.data();
    char* out = begin;
    for (std::size_t i = 0; i < series.values.size(); ++i) {
        out = std::copy(prefix.begin(), prefix.end(), out);
        if (!series.clients.empty()) {
            out = write_integer(out, series.clients[i]);
        }
        *out++ = ',';
        if (!series.at_ns.empty()) {
            out = write_integer(out, series.at_ns[i]);
        }
        *out++ = ',';
        out = write_csv_number(out, whole ? std::round(series.values[i]) : series.values[i]);
        *out++ = '\n';
        if (static_cast<std::size_t>(out - begin) >= kBlockSize) {
            Status taken = sink({begin, static_cast<std::size_t>(out - begin)});
            if (!taken) {
                return taken;
            }
            out = begin;
        }
    }
    return out == begin ? Status{} : sink({begin, static_cast<std::size_t>(out - begin)});
}

Result<std::uint64_t> write_samples(int fd, const std::filesystem::path& path, std::int64_t cell,
                                    std::span<const Series> all) {
    GzipWriter gzip(fd, path);
    for (const Series& series : all) {
        Status written = format_samples(
            cell, series, [&gzip](std::string_view text) { return gzip.append(text); });
        if (!written) {
            return written.error();
        }
    }
    Status finished = gzip.finish();
    if (!finished) {
        return finished.error();
    }
    return gzip.bytes();
}

}  // namespace bench
