#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/metric.h"
#include "common/result.h"
#include "common/statistics.h"

namespace bench {

using Json = nlohmann::ordered_json;

/// ok; not_run: could not start; failed: started and broke; tainted: ran, but something makes it
/// doubtful.
enum class RowStatus { ok, not_run, failed, tainted };
[[nodiscard]] std::string_view status_text(
    RowStatus status);  ///< "ok", "not-run", "failed", "tainted"
[[nodiscard]] std::optional<RowStatus> parse_status(std::string_view text);

/// One `key=value` list as the variant column holds it: keys sorted, joined by ';', '%' and ';'
/// within a value written %25 and %3B.
[[nodiscard]] std::string format_variant(std::vector<std::pair<std::string, std::string>> pairs);
[[nodiscard]] std::vector<std::pair<std::string, std::string>> parse_variant(std::string_view text);

/// What identifies a cell. Absent fields are empty in summary.csv.
struct CellKey {
    std::string test;
    std::string kernel;     ///< uname -r where it ran
    std::string scheduler;  ///< "CFS", "EEVDF", ...; empty when unknown
    std::string variant;    ///< format_variant
    std::optional<std::int64_t> clients, repetition, boot, pair, order;
    std::optional<std::uint64_t> seed;
};

/// One line of summary.csv.
struct SummaryRow {
    CellKey key;
    std::string subject;
    Metric metric;  ///< description is not in the file: see run.json
    RowStatus status = RowStatus::ok;
    std::optional<Summary> figures;  ///< absent: nothing measured, all figures empty
};

/// One cell as it goes into a bundle.
struct CellRecord {
    std::int64_t cell = 1;  ///< number within the bundle, from 1
    CellKey key;
    RowStatus status = RowStatus::ok;
    std::string reason;  ///< why not-run or failed; empty otherwise
    std::string hint;    ///< the cure, when one is known
    std::vector<std::string>
        taints;  ///< what makes it doubtful; status is tainted when there is one
    std::vector<std::string> notes;  ///< worth knowing, not doubtful
    std::vector<Metric>
        metrics;  ///< all the cell should have measured: a cell without figures has a row for each
    std::vector<Series> series;
    Json
        environment;  ///< facts that stay (kernel, CPUs, ...); an object, or null when not captured
    Json details;     ///< the rest: state before and after, workers as read back, load, times
};

/// Writes a bundle cell by cell. Each file is replaced whole: written aside, synced, renamed;
/// samples.csv.gz grows by one gzip member a cell and is cut back when the disk is full. After an
/// Error the files hold what they held before.
class BundleWriter {
  public:
    /// Makes the folder `dir` (its parents too), which must not exist, and all three files, so that
    /// a place that can't be written is known before anything is measured. `header` is run.json's
    /// head: command, label, plan.
    [[nodiscard]] static Result<BundleWriter> create(const std::filesystem::path& dir, Json header);

    [[nodiscard]] Status add(const CellRecord& record);

    /// Takes over the one cell of another bundle (what `bench exec` wrote): its rows with `key`'s
    /// repetition, boot, pair and order, its samples as they are, its environment once per distinct
    /// one.
    [[nodiscard]] Status merge(const std::filesystem::path& cell_bundle, const CellKey& key);

    /// Sets run.json's status: "complete", or "incomplete" with the reason.
    [[nodiscard]] Status finish(std::string_view status, std::string_view reason = {});

    [[nodiscard]] const std::filesystem::path& dir() const { return dir_; }
    [[nodiscard]] const Json& run() const { return run_; }

  private:
    BundleWriter(std::filesystem::path dir, Json run);
    [[nodiscard]] Status commit(const std::vector<SummaryRow>& rows,
                                std::string_view samples_member, Json cell, Json environment,
                                const std::vector<Metric>& metrics);

    std::filesystem::path dir_;
    Json run_;
    std::string summary_;
    std::uint64_t samples_bytes_ = 0;
};

/// A bundle as read back.
struct Bundle {
    std::filesystem::path dir;
    Json run;
    std::vector<SummaryRow> rows;
};

/// Reads run.json and summary.csv. Errors name file and line.
[[nodiscard]] Result<Bundle> read_bundle(const std::filesystem::path& dir);

/// The header line of summary.csv, without the line feed.
[[nodiscard]] std::string_view summary_header();
/// One line of summary.csv without the line feed. Durations are rounded to whole nanoseconds.
[[nodiscard]] std::string format_summary_row(const SummaryRow& row);
/// The rows of summary.csv's text; refuses another header.
[[nodiscard]] Result<std::vector<SummaryRow>> parse_summary(std::string_view text);

/// Replaces `path` whole: written beside it, synced, renamed over it, folder synced. On an Error
/// the old file is untouched and nothing is left beside it.
[[nodiscard]] Status write_file_atomically(const std::filesystem::path& path,
                                           std::string_view text);

/// JSON text for files and pipes: two spaces, a final line feed; bytes that are not UTF-8 become
/// U+FFFD.
[[nodiscard]] std::string json_text(const Json& json);

}  // namespace bench
