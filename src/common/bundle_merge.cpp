#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "common/bundle.h"
#include "common/bundle_schema.h"
#include "common/file.h"
#include "common/gzip.h"
#include "common/samples.h"
#include "common/syscalls.h"

namespace bench {

namespace {

/// The cell of another bundle with its place in this one.
Json placed_cell(const Json& theirs, const CellKey& place, std::int64_t number) {
    CellKey key;
    const auto text = [&theirs](const char* name) { return theirs.value(name, std::string()); };
    key.test = text("test");
    key.kernel = text("kernel");
    key.scheduler = text("scheduler");
    key.variant = text("variant");
    if (theirs.contains("clients")) {
        key.clients = theirs["clients"].get<std::int64_t>();
    }
    if (theirs.contains("seed")) {
        key.seed = theirs["seed"].get<std::uint64_t>();
    }
    key.repetition = place.repetition;
    key.boot = place.boot;
    key.pair = place.pair;
    key.order = place.order;
    Json cell = {{"cell", number}};
    put_key(cell, key);
    for (const auto& [name, value] : theirs.items()) {
        const bool is_place =
            name == "repetition" || name == "boot" || name == "pair" || name == "order";
        if (!cell.contains(name) && !is_place && name != "environment") {
            cell[name] = value;
        }
    }
    return cell;
}

/// Where the cell's samples begin in another bundle's file: after the member with the header.
Result<std::uint64_t> header_member_size(const std::filesystem::path& path, std::uint64_t size) {
    constexpr std::uint64_t kEnough = 4096;
    Result<std::string> data = read_file(path, std::min(size, kEnough));
    if (!data) {
        return data.error();
    }
    Result<FirstMember> first = first_gzip_member(*data);
    if (!first) {
        return plain_error("read", path.string(), first.error().detail);
    }
    if (first->text != samples_header()) {
        return plain_error("read", path.string(), "its first member is not the header line alone");
    }
    return first->size;
}

/// Copies `size` bytes from `begin` on, through a buffer of fixed size.
Result<std::uint64_t> copy_bytes(int to, const std::filesystem::path& to_path,
                                 const std::filesystem::path& from_path, std::uint64_t begin,
                                 std::uint64_t size) {
    Result<Fd> from = open_file(from_path, O_RDONLY);
    if (!from) {
        return from.error();
    }
    if (::lseek(from->get(), static_cast<off_t>(begin), SEEK_SET) < 0) {
        return errno_error("read", from_path.string());
    }
    std::vector<char> buffer(1U << 18U);
    std::uint64_t copied = 0;
    while (copied < size) {
        const auto wanted =
            static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size - copied));
        const ssize_t got = syscalls().read(from->get(), buffer.data(), wanted);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return errno_error("read", from_path.string());
        }
        if (got == 0) {
            return plain_error(
                "read", from_path.string(),
                fmt::format("{} bytes where run.json says {}", begin + copied, begin + size));
        }
        Status written = write_text(to, {buffer.data(), static_cast<std::size_t>(got)}, to_path);
        if (!written) {
            return written.error();
        }
        copied += static_cast<std::uint64_t>(got);
    }
    return copied;
}

/// The same, as one member whose rows have another cell's number. All in memory.
Result<std::uint64_t> copy_renumbered(int to, const std::filesystem::path& to_path,
                                      const std::filesystem::path& from_path, std::uint64_t begin,
                                      std::uint64_t size, std::int64_t number) {
    Result<std::string> data = read_file(from_path, begin + size);
    if (!data) {
        return data.error();
    }
    Result<std::string> rows = gunzip(std::string_view(*data).substr(begin));
    if (!rows) {
        return plain_error("read", from_path.string(), rows.error().detail);
    }
    const std::string cell = std::to_string(number);
    std::string renumbered;
    renumbered.reserve(rows->size());
    // No name of a metric or subject has a line feed in it, so each line is a row.
    for (std::size_t at = 0; at < rows->size();) {
        const std::size_t comma = rows->find(',', at);
        const std::size_t end = rows->find('\n', at);
        if (comma > end || end == std::string::npos) {
            return plain_error("read", from_path.string(), "a line that is no row of samples");
        }
        renumbered += cell;
        renumbered.append(*rows, comma, end + 1 - comma);
        at = end + 1;
    }
    const std::string member = gzip_member(renumbered);
    if (Status written = write_text(to, member, to_path); !written) {
        return written.error();
    }
    return member.size();
}

}  // namespace

Status BundleWriter::merge(const std::filesystem::path& cell_bundle, const CellKey& key,
                           const CellAddition& addition) {
    Result<Bundle> read = read_bundle(cell_bundle);
    if (!read) {
        return read.error();
    }
    const Json& theirs = read->run;
    if (theirs["cells"].size() != 1) {
        return plain_error("take over", cell_bundle.string(),
                           fmt::format("it has {} cells, not one", theirs["cells"].size()));
    }
    const Json& their_cell = theirs["cells"][0];
    const auto their_number = their_cell["cell"].get<std::int64_t>();
    const std::int64_t number = addition.cell.value_or(their_number);
    Status checked = check_new_cell(number);
    if (!checked) {
        return checked;
    }
    const Json environment =
        their_cell.contains("environment")
            ? theirs["environments"][their_cell["environment"].get<std::size_t>()]
            : Json();
    Json run = run_;
    CellKey place = key;
    place.boot = put_boot(run, environment, key.boot);
    for (const Json& metric : theirs["metrics"]) {
        put_metric(run, metric);
    }
    try {
        Json cell = placed_cell(their_cell, place, number);
        add_to_cell(cell, addition);
        put_cell(run, std::move(cell), environment);
    } catch (const Json::exception&) {
        return plain_error("read", (cell_bundle / kRunFile).string(),
                           "the cell's key has a member of the wrong type");
    }
    for (SummaryRow& row : read->rows) {
        row.key.repetition = place.repetition;
        row.key.boot = place.boot;
        row.key.pair = place.pair;
        row.key.order = place.order;
        if (!addition.taints.empty() && row.status == RowStatus::ok) {
            row.status = RowStatus::tainted;
        }
    }

    const std::filesystem::path their_samples = cell_bundle / kSamplesFile;
    const auto their_bytes = theirs["samples_bytes"].get<std::uint64_t>();
    Result<std::uint64_t> begin = header_member_size(their_samples, their_bytes);
    if (!begin) {
        return begin.error();
    }
    AppendSamples append;
    if (*begin < their_bytes && number != their_number) {
        append = [&](int fd) {
            return copy_renumbered(fd, dir_ / kSamplesFile, their_samples, *begin,
                                   their_bytes - *begin, number);
        };
    } else if (*begin < their_bytes) {
        append = [&](int fd) {
            return copy_bytes(fd, dir_ / kSamplesFile, their_samples, *begin, their_bytes - *begin);
        };
    }
    return commit(std::move(run), summary_with(read->rows), append);
}

}  // namespace bench
