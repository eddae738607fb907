#include <fmt/format.h>

#include <algorithm>

#include "common/bundle.h"
#include "common/bundle_schema.h"
#include "common/file.h"
#include "common/gzip.h"

namespace bench {

namespace {

Error damaged(const std::filesystem::path& path, std::string detail) {
    return plain_error("read", path.string(), std::move(detail));
}

Result<Json> parse_json(const std::filesystem::path& path, std::string_view text) {
    try {
        return Json::parse(text);
    } catch (const Json::parse_error& error) {
        const std::string_view before = text.substr(0, error.byte);
        const auto line = 1 + std::count(before.begin(), before.end(), '\n');
        return damaged(fmt::format("{} line {}", path.string(), line), "not valid JSON");
    }
}

bool is_index(const Json& value, std::size_t size) {
    return value.is_number_unsigned() && value.get<std::uint64_t>() < size;
}

/// What every later reader takes for granted, so that a damaged file is one Error here.
Status check_run(const std::filesystem::path& path, const Json& run) {
    if (!run.is_object() || run.value("schema", Json()) != kSchema) {
        return damaged(path, fmt::format("its schema is not '{}'", kSchema));
    }
    const Json version = run.value("schema_version", Json());
    if (version != kSchemaVersion) {
        return damaged(path, fmt::format("schema_version {} is not {}, the one this version reads",
                                         version.dump(), kSchemaVersion));
    }
    for (const char* key : {"metrics", "boots", "environments", "cells"}) {
        if (!run.contains(key) || !run[key].is_array()) {
            return damaged(path, fmt::format("'{}' is not a list", key));
        }
    }
    for (const char* key : {"samples_bytes", "summary_bytes"}) {
        if (!run.contains(key) || !run[key].is_number_unsigned()) {
            return damaged(path, fmt::format("'{}' is not a size", key));
        }
    }
    if (!run.contains("status") || !run["status"].is_string()) {
        return damaged(path, "'status' is not a text");
    }
    for (const Json& cell : run["cells"]) {
        if (!cell.is_object() || !cell.contains("cell") || !cell["cell"].is_number_integer()) {
            return damaged(path, "a cell without a number");
        }
        if (cell.contains("environment") &&
            !is_index(cell["environment"], run["environments"].size())) {
            return damaged(path, fmt::format("cell {}: no such environment", cell["cell"].dump()));
        }
    }
    return {};
}

}  // namespace

Result<Bundle> read_bundle(const std::filesystem::path& dir) {
    const std::filesystem::path run_path = dir / kRunFile;
    Result<std::string> run_text = read_file(run_path);
    if (!run_text) {
        return run_text.error();
    }
    Result<Json> run = parse_json(run_path, *run_text);
    if (!run) {
        return run.error();
    }
    Status checked = check_run(run_path, *run);
    if (!checked) {
        return checked.error();
    }
    const std::filesystem::path summary_path = dir / kSummaryFile;
    Result<std::string> summary = read_file(summary_path);
    if (!summary) {
        return summary.error();
    }
    // Only a writer that was killed leaves this status: the rows of a cell that run.json does not
    // know may be there already. Later on, people may have edited the file.
    if ((*run)["status"] == kRunning) {
        const auto counts = (*run)["summary_bytes"].get<std::uint64_t>();
        if (summary->size() < counts) {
            return damaged(summary_path,
                           fmt::format("{} bytes where run.json says {}", summary->size(), counts));
        }
        summary->resize(counts);
    }
    Result<std::vector<SummaryRow>> rows = parse_summary(*summary);
    if (!rows) {
        Error error = rows.error();
        error.object = summary_path.string() + " " + error.object;
        return error;
    }
    return Bundle{.dir = dir, .run = std::move(*run), .rows = std::move(*rows)};
}

Result<std::string> read_samples(const Bundle& bundle) {
    const std::filesystem::path path = bundle.dir / kSamplesFile;
    const auto counts = bundle.run["samples_bytes"].get<std::uint64_t>();
    Result<std::string> data = read_file(path, counts);
    if (!data) {
        return data.error();
    }
    if (data->size() < counts) {
        return damaged(path, fmt::format("{} bytes where run.json says {}", data->size(), counts));
    }
    Result<std::string> text = gunzip(*data);
    if (!text) {
        return damaged(path, text.error().detail);
    }
    return text;
}

}  // namespace bench
